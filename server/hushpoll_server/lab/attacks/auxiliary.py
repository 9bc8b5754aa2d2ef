"""What no method prevents: a study that teaches something teaches it about people who are not in it, too.

The smoker. A study finds how much more often smokers fall ill. Whoever knows that somebody smokes now knows their
risk, whether that person took part or not. The stranger's height (Dwork 2006). "Terry Gross is two inches shorter than
the average Lithuanian woman" is worth nothing without the average, and tells her height with it.

Statement. Let a release be useful: from it, and not before, the attacker learns a fact about the population. Then
there is something to know beforehand about somebody outside the data that turns the fact into that person's secret:
the secret masked by the fact. So no release is both useful and harmless to everybody, and differential privacy does
not claim to be. Its promise is another one: with or without a person's own data the release is almost the same, so
what it reveals of them is not owed to their taking part. The tables show both halves.

References: C. Dwork (2006), Differential privacy, ICALP; C. Dwork, M. Naor (2010), On the difficulties of disclosure
prevention in statistical databases, Journal of Privacy and Confidentiality 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from hushpoll_server.lab.attacks.attack import Attack, Chosen, rms
from hushpoll_server.lab.defences import BOUNDED_NOISE, CALIBRATED_NOISE, K_ANONYMITY, LOCAL, NAMES_REMOVED
from hushpoll_server.lab.defences.bounded import bounded_noise
from hushpoll_server.lab.defences.calibrated import CountNoise
from hushpoll_server.lab.defences.local import Randomizer
from hushpoll_server.lab.people import HEIGHT_RANGE, ILL_IF_SMOKING, ILL_OTHERWISE, SMOKERS, City, invent_city
from hushpoll_server.lab.result import AttackResult, Column, Picture, Scale, Series, Table, Value, Verdict, fails
from hushpoll_server.lab.stream import Figures, Places, SeededStream, bits_by

BOUND = 2
REPEATED = 200
# What is believed about the average height before the study: that it is within so many centimetres of the truth.
PRIOR_DEVIATION = 6.0
SHORTER = 5.0
_LOW, _HIGH = HEIGHT_RANGE
_TENTHS = 10
_LOCAL_REPEATED = 40


def learn(chosen: Chosen) -> AttackResult:
    """Release a study under each defence, and see what it teaches about a person who is not in it."""
    stream = SeededStream(chosen.seed, "auxiliary")
    city = invent_city(chosen.n, seed=chosen.seed)
    heights, risks = _heights(city, chosen, stream), _risks(city, chosen, stream)
    return AttackResult(
        name="auxiliary",
        title="Auxiliary information: harm to people who are not in the data",
        statement=(
            f"A study of {chosen.n:,} invented people finds their average height and how often smokers fall ill. The "
            f"attacker knows that a stranger, who did not take part, is {SHORTER:g} cm shorter than the average "
            "and smokes. Every useful release tells the attacker her height and her risk."
        ),
        parameters={"repeated": REPEATED, "bounded noise up to": BOUND},
        tables=(_heights_table(heights), _risks_table(risks, city)),
        verdicts=_verdicts(heights, risks),
        picture=_picture(heights),
    )


def _heights(city: City, chosen: Chosen, stream: SeededStream) -> dict[str, tuple[float, float]]:
    """Return the error of the stranger's height after each release, in centimetres: measured and expected."""
    n, mean = city.people, city.height.mean()
    # Heights are added up in tenths of a centimetre, from the middle of the range; n is known.
    noise = CountNoise(chosen.epsilon, round((_HIGH - _LOW) / 2 * _TENTHS))
    bounded, calibrated = bounded_noise(stream, REPEATED, BOUND), noise.draw(stream, REPEATED)
    local, places = Randomizer(chosen.bound), (city.height - _LOW) / (_HIGH - _LOW)
    estimates = [_mean_of_reports(local, places, stream) for _ in range(REPEATED)]
    chances = float(local.design.q) + local.gap * places
    spread = math.sqrt((chances * (1 - chances)).sum()) / local.gap / n * (_HIGH - _LOW)
    return {
        NAMES_REMOVED: (0.0, 0.0),
        K_ANONYMITY: (0.0, 0.0),
        BOUNDED_NOISE: (rms(bounded / n), math.sqrt(BOUND * (BOUND + 1) / 3) / n),
        CALIBRATED_NOISE: (rms(calibrated / _TENTHS / n), math.sqrt(noise.variance) / _TENTHS / n),
        LOCAL: (rms(np.array(estimates) - mean), spread),
    }


def _mean_of_reports(local: Randomizer, places: Figures, stream: SeededStream) -> float:
    """Return the mean from one bit of each device: the height rounded to an end of the range, then randomized."""
    reports = local.draw(stream, bits_by(stream, places))
    return _LOW + (_HIGH - _LOW) * float(local.estimate(reports.mean()))


def _risks(city: City, chosen: Chosen, stream: SeededStream) -> dict[str, tuple[float, float]]:
    """Return the risk of a smoker that each release tells, on average, and its standard deviation."""
    smokers, ill = int(city.smokes.sum()), int((city.smokes & city.ill).sum())
    half = CountNoise(chosen.epsilon / 2)

    def noisy(draw: Callable[[], Places]) -> Figures:
        return np.asarray((ill + draw()) / (smokers + draw()))

    local, answers = Randomizer(chosen.bound, 4), 2 * city.smokes + city.ill
    shares = np.array([local.draw_sets(stream, answers).mean(axis=0) for _ in range(_LOCAL_REPEATED)])
    estimated = local.estimate(shares)
    releases = {
        NAMES_REMOVED: np.array([ill / smokers]),
        K_ANONYMITY: np.array([ill / smokers]),
        BOUNDED_NOISE: noisy(lambda: bounded_noise(stream, REPEATED, BOUND)),
        CALIBRATED_NOISE: noisy(lambda: half.draw(stream, REPEATED)),
        LOCAL: estimated[:, 3] / (estimated[:, 2] + estimated[:, 3]),
    }
    return {name: (float(told.mean()), float(told.std())) for name, told in releases.items()}


def _heights_table(heights: dict[str, tuple[float, float]]) -> Table:
    rows: list[tuple[Value, ...]] = [("no study at all", PRIOR_DEVIATION, None)]
    rows += [(name, *figures) for name, figures in heights.items()]
    columns = (
        Column("defence", "what is released"),
        Column("error", "error of the stranger's height, cm", "number"),
        Column("theory", "theory", "number"),
    )
    caption = "The height of somebody who is not in the data, from the average and “5 cm shorter than the average”"
    return Table("heights", caption, columns, tuple(rows))


def _risks_table(risks: dict[str, tuple[float, float]], city: City) -> Table:
    before = SMOKERS * ILL_IF_SMOKING + (1 - SMOKERS) * ILL_OTHERWISE
    # One smoker more, who is ill, changes the exact share from i/s to (i + 1)/(s + 1).
    smokers, ill = int(city.smokes.sum()), int((city.smokes & city.ill).sum())
    own = (ill + 1) / (smokers + 1) - ill / smokers
    rows: list[tuple[Value, ...]] = [("no study at all", before, None, None)]
    rows += [(name, *figures, own) for name, figures in risks.items()]
    columns = (
        Column("defence", "what is released"),
        Column("risk", "a smoker's risk, as the attacker sees it", "share"),
        Column("deviation", "standard deviation", "number"),
        Column("own", "change if she takes part", "number"),
    )
    return Table(
        "risks", f"The smoker who is not in the study; the true risk is {ILL_IF_SMOKING:g}", columns, tuple(rows)
    )


def _verdicts(heights: dict[str, tuple[float, float]], risks: dict[str, tuple[float, float]]) -> tuple[Verdict, ...]:
    exact = "The averages are released, and the stranger's height and risk with them."
    return (
        fails(NAMES_REMOVED, exact),
        fails(K_ANONYMITY, exact),
        fails(BOUNDED_NOISE, exact),
        *(
            fails(
                name,
                f"Her height is known within {heights[name][0]:.2g} cm, her risk is seen at {risks[name][0]:.1%}. She "
                "would be seen like this whether she took part or not: that is what is promised, and all that is.",
            )
            for name in (CALIBRATED_NOISE, LOCAL)
        ),
    )


def _picture(heights: dict[str, tuple[float, float]]) -> Picture:
    errors = [PRIOR_DEVIATION, *(figures[0] for figures in heights.values())]
    return Picture(
        title="Error of the height of somebody who is not in the data",
        description="Six centimetres without a study, and next to nothing with one, whatever its defence.",
        x=Scale("no study, then the five defences in order", 0, 5, (0, 1, 2, 3, 4, 5)),
        y=Scale("error, cm", 0, 6, (0, 2, 4, 6)),
        series=(Series("error", tuple(enumerate(errors)), dots=True),),
    )


AUXILIARY = Attack(
    name="auxiliary",
    title="harm to people who are not in the data",
    size="people in the study",
    default=20_000,
    least=1_000,
    most=50_000,
    attack=learn,
)
