"""Print the coverage tables of the documents: the worst cases of a search, by enumeration and simulation.

`make coverage`, or `python -m tests.statistics.coverage [--surveys 1000] [SECTION …]`; all of it takes hours. All draws
are seeded. Coverage is that of nominal 95 % intervals, as `hushpoll estimate` gives them if no method is asked for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import click
from tests.statistics import worst_cases
from tests.statistics.shapes import shapes

EPSILONS = ("0.5", "1", "2", "4", "6", "8")
SIZES = (30, 100, 1000)
SHAPE_EPSILONS, SHAPE_SIZES = ("0.5", "1", "2", "4"), (500, 2000, 20_000, 200_000)


def row(*cells: object) -> None:
    """Print a row of a table as soon as it is known."""
    click.echo("| " + " | ".join(map(str, cells)) + " |")


def head(*cells: object) -> None:
    """Print the head of a table."""
    row(*cells)
    row(*("---" for _ in cells))


def yes_no(_surveys: int) -> None:
    """Worst coverage of a yes/no question over 401 shares, by enumeration."""
    head("ε", *(f"n = {n:,}" for n in SIZES))
    for epsilon in (0.25, 0.5, 1.0, 2.0, 4.0, 6.0, 8.0):
        row(f"{epsilon:g}", *(worst_cases.yes_no(epsilon, n) for n in SIZES))


def choices(_surveys: int) -> None:
    """Bound on the coverage of a cell of a choice or of ticks, over 401 shares, by enumeration."""
    head("question", "ε", *(f"n = {n:,}" for n in SIZES))
    for epsilon in EPSILONS[1:]:
        laws = {
            "5 options": worst_cases.choice_law(5, epsilon),
            "12 options": worst_cases.choice_law(12, epsilon),
            "5 ticks": worst_cases.ticks_law(5, None, epsilon),
            "6 ticks, at most 2": worst_cases.ticks_law(6, 2, epsilon),
        }
        for name, law in laws.items():
            row(name, epsilon, *(worst_cases.cells(law.support, n) for n in SIZES))


def means(surveys: int) -> None:
    """Worst coverage of a mean over twenty populations."""
    head("mechanism", "ε", *(f"n = {n:,}" for n in SIZES))
    for epsilon in EPSILONS:
        for name, mechanism in worst_cases.mean_mechanisms(epsilon):
            row(name, epsilon, *(worst_cases.worst_mean(mechanism, n, surveys) for n in SIZES))


def cross(surveys: int) -> None:
    """Worst coverage of a cell of a cross table over four populations, and how often an empty one is called present."""
    head("table", "ε each", *(f"n = {n:,}" for n in (30, 100, 500, 2000)))
    for size in worst_cases.TABLES:
        for epsilon in ("1", "2", "4"):
            found = [worst_cases.cross_tables(size, epsilon, n, surveys) for n in (30, 100, 500, 2000)]
            cells = (f"{each.worst.coverage:.3f}, present {each.present:.3f}" for each in found)
            row(f"{size[0]} × {size[1]}", epsilon, *cells)


def codebooks(surveys: int) -> None:
    """How often all intervals of a codebook hold at once."""
    head("answers", "ε", "n", "hold together")
    for size, epsilon, n in ((2049, "4", 1000), (2049, "1", 1000), (50_000, "4", 1000)):
        times = max(20, surveys // (size // 1000))
        row(f"{size:,}", epsilon, f"{n:,}", f"{worst_cases.codebook(size, epsilon, n, times):.3f} of {times}")


def distributions(surveys: int) -> None:
    """Distances of the bins from six shapes, and coverage of shares below a number, the median and the deviation."""
    head("shape", "ε", "n", "W1", "KS", "below: mean", "worst", "median", "deviation", "± below the middle")
    for n in SHAPE_SIZES:
        for epsilon in SHAPE_EPSILONS:
            for shape in shapes():
                each = worst_cases.distribution(shape, epsilon, n, max(10, surveys // 20))
                distances = f"{each.wasserstein:.4f}", f"{each.kolmogorov:.4f}"
                covered = (each.below, each.worst_below, each.median, each.deviation)
                row(shape, epsilon, n, *distances, *(f"{share:.3f}" for share in covered), f"{each.half_width:.3f}")


SECTIONS: dict[str, Callable[[int], None]] = {
    each.__name__: each for each in (yes_no, choices, means, cross, codebooks, distributions)
}


@click.command()
@click.option("--surveys", type=click.IntRange(min=1), default=1000, show_default=True, help="Surveys of each case.")
@click.argument("sections", nargs=-1, type=click.Choice(list(SECTIONS)))
def main(surveys: int, sections: Sequence[str]) -> None:
    """Print the tables of some sections, or of all."""
    for name in sections or SECTIONS:
        click.echo(f"\n{SECTIONS[name].__doc__}\n")
        SECTIONS[name](surveys)


if __name__ == "__main__":
    main()
