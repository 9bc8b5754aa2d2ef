"""hushpoll pool: counts of several designs in, one share out."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from click.testing import Result

from hushpoll_server.analysis import PooledPart, kuk, pool

Command = Callable[..., Result]
Ask = Callable[..., Any]

ONE, OTHER = "odds=3:1,yes=400,n=1000", "odds=9:1,yes=300,n=900"
CALL = ("pool", "--design", "warner", "--part", ONE, "--part", OTHER)


def test_the_keys_hold_the_figures_of_the_library(ask: Ask) -> None:
    parts = [
        PooledPart(name="1", yes=400, n=1000, design=kuk("3/4", "1/4")),
        PooledPart(name="2", yes=300, n=900, design=kuk("9/10", "1/10")),
    ]
    shown = ask(*CALL)
    assert shown == pool(parts).to_json()
    assert (shown["n"], shown["method"], shown["standard_errors"]) == (1900, "score", "expected")
    assert shown["heterogeneity"]["degrees"] == 1


@pytest.mark.parametrize(
    "words",
    [
        ("--part", f"design=warner,{ONE}", "--part", f"design=warner,{OTHER}"),
        ("--design", "warner", "--odds", "3:1", "--part", "yes=400,n=1000", "--part", OTHER),
        ("--part", "design=kuk,p1=3/4,p0=1/4,yes=400,n=1000", "--part", "design=crosswise,p=0.9,yes=300,n=900"),
        (
            "--part",
            "design=forced,truth=1/2,yes-share=1/2,yes=400,n=1000",
            "--part",
            "design=warner,p=0.9,yes=300,n=900",
        ),
    ],
)
def test_every_spelling_of_the_parts_gives_the_same_figures(ask: Ask, words: tuple[str, ...]) -> None:
    assert ask("pool", *words) == ask(*CALL)


def test_one_design_gives_the_figures_of_estimate_to_the_digit(ask: Ask) -> None:
    design = ("--design", "warner", "--odds", "3:1")
    pooled = ask("pool", *design, "--part", "yes=150,n=400", "--part", "yes=250,n=600")
    plain = ask("estimate", *design, "--yes", "400", "--n", "1000")
    [cell] = plain["cells"]
    assert {name: pooled[name] for name in ("estimate", "se", "low", "high")} == {
        name: cell[name] for name in ("estimate", "se", "low", "high")
    }
    assert pooled["method"] == plain["method"]


def test_people_read_the_parts_the_pooled_share_and_the_test(hushpoll: Command) -> None:
    lines = hushpoll(*CALL[:4], f"name=web,{ONE}", "--part", f"name=phone,{OTHER}").stdout.splitlines()
    assert lines[0].startswith("part  web: ")
    assert "of the information" in lines[1]
    assert lines[2].startswith("pooled  yes:  29.41%")
    assert lines[3].startswith("all equal  χ² = ")


def test_parts_that_differ_are_a_warning(hushpoll: Command) -> None:
    shown = hushpoll(*CALL[:4], ONE, "--part", "odds=9:1,yes=600,n=900").stdout
    assert "warning: The parts differ by more than chance explains" in shown


@pytest.mark.parametrize(
    "words",
    [
        ("pool",),
        ("pool", "--design", "warner"),
        ("pool", "--part", ONE),
        ("pool", "--part", f"design=guess,{ONE}"),
        ("pool", "--design", "warner", "--part", "yes=1,n=2"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=1"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=1,n=2,size=3"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=1,yes=2,n=3"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=one,n=3"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=5,n=3"),
        ("pool", "--design", "warner", "--part", "odds=3:1,yes=-1,n=3"),
        ("pool", "--design", "warner", "--part", f"odds=3:1,yes=1,n={10**30}"),
        ("pool", "--design", "warner", "--part", "odds=1:1,yes=1,n=3"),
        ("pool", "--design", "warner", "--part", f"name=a,{ONE}", "--part", f"name=a,{OTHER}"),
        (*CALL, "--level", "1.5"),
    ],
)
def test_a_wrong_call_ends_with_2(hushpoll: Command, words: tuple[str, ...]) -> None:
    assert hushpoll(*words).exit_code == 2
