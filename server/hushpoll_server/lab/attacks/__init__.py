"""The attacks, each a module of its own, and the list of them.

The rule here: they are tried on invented people, and never on the data of an instance.
"""

from collections.abc import Mapping

from hushpoll_server.lab.attacks.attack import Attack
from hushpoll_server.lab.attacks.auxiliary import AUXILIARY
from hushpoll_server.lab.attacks.averaging import AVERAGING
from hushpoll_server.lab.attacks.differencing import DIFFERENCING
from hushpoll_server.lab.attacks.linkage import LINKAGE
from hushpoll_server.lab.attacks.membership import MEMBERSHIP
from hushpoll_server.lab.attacks.other_side import OTHER_SIDE
from hushpoll_server.lab.attacks.own_reports import OWN_REPORTS
from hushpoll_server.lab.attacks.reconstruction import RECONSTRUCTION

ATTACKS: Mapping[str, Attack] = {
    attack.name: attack
    for attack in (DIFFERENCING, AVERAGING, RECONSTRUCTION, LINKAGE, MEMBERSHIP, AUXILIARY, OTHER_SIDE, OWN_REPORTS)
}
