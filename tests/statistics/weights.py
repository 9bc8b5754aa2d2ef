"""Print how often intervals of weighted, post-stratified, raked and pooled shares hold, in simulated surveys.

`python -m tests.statistics.weights [--surveys 1000] [SECTION …]`. The tables are those of docs/statistics/weights.md.
All draws are seeded. With a thousand surveys a coverage of .950 is known to ±.014.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence

import click
import numpy as np
from tests.server.estimate.weighted import known as figures
from tests.statistics.coverage import head, row

from hushpoll_server.analysis import (
    PooledPart,
    SupportDesign,
    kuk,
    pool,
    poststratify,
    rake,
    raked_share,
    weighted_mean,
    weighted_share,
)
from hushpoll_server.estimate.support import Figures

SEED = 15
SIZES = (500, 5000)
# ε = 1 and ε = 4
ODDS = {"ε = 1": np.e, "ε = 4": np.exp(4.0)}
# Shares in two groups of people: equal, far apart either way, rare, nobody.
SHARES = ((0.3, 0.3), (0.1, 0.6), (0.6, 0.1), (0.0, 0.05), (0.0, 0.0))
# The second group is half of the population and a fifth of the sample, so a report of it weighs four times as much.
SAMPLED, WEIGHTS = 0.2, (0.625, 2.5)


def design(odds: float) -> SupportDesign:
    """Return Warner's design."""
    return SupportDesign(odds / (1 + odds), 1 / (1 + odds))


def reports(rng: np.random.Generator, shares: Figures, known: SupportDesign) -> Figures:
    """Return a randomized report for each share."""
    return (rng.random(shares.shape) < known.rate(shares)).astype(float)


def weighted(surveys: int) -> None:
    """Coverage of a weighted share; the weights vary within the groups, too (lognormal, σ = ½)."""
    _by_shares(surveys, _weighted_survey)


def means(surveys: int) -> None:
    """Coverage of the weighted mean of debiased reports, in the same surveys."""
    _by_shares(surveys, _mean_survey)


def poststrata(surveys: int) -> None:
    """Coverage of a post-stratified share, the groups as strata."""
    _by_shares(surveys, _stratified_survey)


def raking(surveys: int) -> None:
    """Coverage of a share raked to the groups and to two ages; the younger have half the shares, and answer less."""
    _by_shares(surveys, _raked_survey)


def pooled(surveys: int) -> None:
    """Coverage of the pooled share of two designs, ε = 1 and ε = 3, a third of the reports from the second."""
    head("share", *(f"n = {n:,}" for n in SIZES))
    for share in (0.0, 0.02, 0.1, 0.3, 0.5):
        row(f"{share:g}", *(_held(surveys, _pooled_survey, n, share) for n in SIZES))


def finite(surveys: int) -> None:
    """Variance shown over that of the estimates, and coverage, in samples of 2,000 people with unequal chances."""
    head("asked", "design", "variance", "corrected throughout", "not corrected", "coverage")
    for asked in (200, 800, 1400):
        for name, odds in ODDS.items():
            row(f"{asked:,}", name, *_finite_surveys(surveys, asked, design(odds)))


def _by_shares(surveys: int, survey: Callable[..., bool]) -> None:
    head("design", "shares", *(f"n = {n:,}" for n in SIZES))
    for name, odds in ODDS.items():
        for shares in SHARES:
            held = (_held(surveys, survey, n, shares, design(odds)) for n in SIZES)
            row(name, f"{shares[0]:g} and {shares[1]:g}", *held)


def _held(surveys: int, survey: Callable[..., bool], *about: object) -> str:
    rng = np.random.default_rng([SEED, *(zlib.crc32(f"{part}".encode()) for part in about)])
    return f"{np.mean([survey(rng, *about) for _ in range(surveys)]):.3f}".removeprefix("0")


def _sample(rng: np.random.Generator, n: int, shares: tuple[float, float]) -> tuple[Figures, Figures]:
    second = (rng.random(n) < SAMPLED).astype(int)
    return second, np.array(shares)[second]


def _weighted_survey(rng: np.random.Generator, n: int, shares: tuple[float, float], known: SupportDesign) -> bool:
    second, true = _sample(rng, n, shares)
    weights = np.array(WEIGHTS)[second] * rng.lognormal(0, 0.5, n)
    return figures(weighted_share(reports(rng, true, known), weights, known).cell).holds(np.mean(shares).item())


def _mean_survey(rng: np.random.Generator, n: int, shares: tuple[float, float], known: SupportDesign) -> bool:
    second, true = _sample(rng, n, shares)
    weights = np.array(WEIGHTS)[second] * rng.lognormal(0, 0.5, n)
    return figures(weighted_mean(known.share(reports(rng, true, known)), weights)).holds(np.mean(shares).item())


def _stratified_survey(rng: np.random.Generator, n: int, shares: tuple[float, float], known: SupportDesign) -> bool:
    second, true = _sample(rng, n, shares)
    yes = reports(rng, true, known)
    strata = {f"{group}": (int(yes[second == group].sum()), int((second == group).sum())) for group in (0, 1)}
    return figures(poststratify(strata, {"0": 0.5, "1": 0.5}, known).cell).holds(np.mean(shares).item())


def _raked_survey(rng: np.random.Generator, n: int, shares: tuple[float, float], known: SupportDesign) -> bool:
    # Group and age are independent, each half of the population; a fifth and seven tenths of the sample.
    age = (rng.random(n) < 0.7).astype(int)
    second, true = _sample(rng, n, shares)
    true = np.where(age == 1, true, true / 2)
    margins = {"group": {"0": "1/2", "1": "1/2"}, "age": {"0": "1/2", "1": "1/2"}}
    raked = rake(margins, {"group": [f"{x}" for x in second], "age": [f"{x}" for x in age]})
    return figures(raked_share(reports(rng, true, known), raked, known).cell).holds(0.75 * np.mean(shares).item())


def _pooled_survey(rng: np.random.Generator, n: int, share: float) -> bool:
    sizes = (n - n // 3, n // 3)
    parts = []
    for name, size, odds in zip("ab", sizes, (np.e, np.exp(3.0)), strict=True):
        known = kuk(float(odds / (1 + odds)), float(1 / (1 + odds)))
        yes = rng.binomial(size, known.support.rate(share))
        parts.append(PooledPart(name=name, yes=int(yes), n=size, design=known))
    return figures(pool(parts).cell).holds(share)


def _finite_surveys(surveys: int, asked: int, known: SupportDesign) -> Sequence[str]:
    rng = np.random.default_rng(SEED)
    size = 2000
    # Three in ten say yes, more of them where the chance of being asked is small.
    chances = rng.uniform(0.3, 1.0, size)
    chances = _scaled(chances, asked)
    true = (rng.random(size) < 0.55 - 0.35 * chances / chances.max()).astype(float)
    rows = [_finite_survey(rng, true, chances, known) for _ in range(surveys)]
    estimates, ses, plain, naive, held = np.array(rows).T
    spread = estimates.var(ddof=1)
    ratios = [f"{np.mean(figure**2) / spread:.3f}" for figure in (ses, naive, plain)]
    return *ratios, f"{held.mean():.3f}".removeprefix("0")


def _scaled(chances: Figures, asked: int) -> Figures:
    for _ in range(100):
        chances = np.minimum(1.0, chances * asked / chances.sum())
    return chances


def _finite_survey(
    rng: np.random.Generator, true: Figures, chances: Figures, known: SupportDesign
) -> tuple[float, ...]:
    # Systematic sampling in random order: a fixed number of people, each with its chance.
    order = rng.permutation(true.size)
    places = np.cumsum(chances[order]) + rng.random()
    drawn = order[np.floor(places) > np.floor(places - chances[order])]
    said, weights = reports(rng, true[drawn], known), 1 / chances[drawn]
    cell = figures(weighted_share(said, weights, known, population=true.size).cell)
    plain = figures(weighted_share(said, weights, known).cell)
    corrected = plain.se * float(np.sqrt(1 - drawn.size / true.size))
    return cell.estimate, cell.se, plain.se, corrected, cell.holds(true.mean())


SECTIONS = {section.__name__: section for section in (weighted, means, poststrata, raking, pooled, finite)}


@click.command()
@click.option("--surveys", default=1000, show_default=True, help="Simulated surveys of each case.")
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)))
def main(surveys: int, sections: Sequence[str]) -> None:
    """Print the tables of docs/statistics/weights.md."""
    for name in sections or SECTIONS:
        click.echo(f"\n{SECTIONS[name].__doc__}\n")
        SECTIONS[name](surveys)


if __name__ == "__main__":
    main()
