"""Who asks, how that looks, where to ask back, and what people see after they have sent.

The rule here: none of this affects the draws, and it is the same for everybody. A link leads to a page over https or to
a mailbox, and is never followed by the form itself.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, fields
from typing import Any, Self

from hushpoll_shared.appearance import check_accent, check_logo
from hushpoll_shared.checks import check_fields, check_text
from hushpoll_shared.errors import InvalidValue

_DOMAIN = r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?){1,9}"
_PAGE = re.compile(rf"https://{_DOMAIN}(/[A-Za-z0-9._~!$&'()*+,;=:@%/?#-]{{0,400}})?", re.ASCII)
_MAILBOX = re.compile(rf"mailto:[A-Za-z0-9._+-]{{1,64}}@{_DOMAIN}", re.ASCII)


@dataclass(frozen=True, kw_only=True)
class About:
    """What a survey says about itself.

    `organisation` is who asks, `contact` a page or a mailbox, `privacy` the organisation's own privacy page, `thanks` a
    text for those who have sent, `link` a page that it leads to, `logo` a picture as a data URL, `accent` the colour of
    buttons and links.
    """

    organisation: str | None = None
    contact: str | None = None
    privacy: str | None = None
    thanks: str | None = None
    link: str | None = None
    logo: str | None = None
    accent: str | None = None

    def __post_init__(self) -> None:
        """Refuse texts that nobody could read, and links that a page must not have."""
        for name in ("organisation", "thanks"):
            if getattr(self, name) is not None:
                check_text(getattr(self, name), name)
        for name in ("contact", "privacy", "link"):
            if getattr(self, name) is not None:
                check_link(getattr(self, name), name)
        for name, check in (("logo", check_logo), ("accent", check_accent)):
            if getattr(self, name) is not None:
                check(getattr(self, name))

    def to_json(self) -> dict[str, str]:
        """Return what is there, in its order."""
        return {name: value for name, value in vars(self).items() if value is not None}

    @classmethod
    def read(cls, value: Any) -> Self:
        """Read what a survey says about itself; one that says nothing has no such field."""
        keys = tuple(each.name for each in fields(cls) if isinstance(value, dict) and each.name in value)
        check_fields(value, keys or ("organisation",), "about")
        if None in value.values():
            raise InvalidValue("about has a field without a text: leave it out")
        return cls(**value)


def check_link(value: object, what: str) -> None:
    """Refuse what is not the address of a page or, for a contact, of a mailbox."""
    is_mailbox = what == "contact" and isinstance(value, str) and _MAILBOX.fullmatch(value)
    if not is_mailbox and not (isinstance(value, str) and _PAGE.fullmatch(value)):
        others = ", or a mailbox as mailto:name@example.org" if what == "contact" else ""
        raise InvalidValue(f"{what} must be the address of a page, as https://example.org/page{others}")
