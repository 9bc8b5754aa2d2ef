"""What is true of every attack: seeded, bounded, with a verdict for each defence, and a picture with a description."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from functools import cache

import pytest

from hushpoll_server.lab.attacks import ATTACKS
from hushpoll_server.lab.attacks.attack import Setting
from hushpoll_server.lab.defences import DEFENCES
from hushpoll_server.lab.pictures import draw_picture
from hushpoll_server.lab.result import AttackResult
from hushpoll_server.mechanisms.bound import Bound
from hushpoll_shared.errors import InvalidValue

SVG = "{http://www.w3.org/2000/svg}"


@cache
def run(name: str, seed: int = 5) -> AttackResult:
    return ATTACKS[name].run(Setting(seed=seed, n=ATTACKS[name].least))


every_attack = pytest.mark.parametrize("name", ATTACKS)


@every_attack
def test_the_same_seed_gives_the_same_figures_and_another_one_others(name: str) -> None:
    one, again, other = (
        json.dumps(result.to_json(), allow_nan=False)
        for result in (run(name, 5), run.__wrapped__(name, 5), run(name, 6))
    )
    assert one == again
    assert one != other


@every_attack
def test_each_defence_has_a_verdict_and_each_table_its_rows(name: str) -> None:
    result = run(name)
    assert [verdict.defence for verdict in result.verdicts] == list(DEFENCES)
    assert result.parameters["n"] == ATTACKS[name].least
    for table in result.tables:
        assert all(len(row) == len(table.columns) for row in table.rows)
        assert len({column.name for column in table.columns}) == len(table.columns)
        assert len(table.written()) == len(table.rows)


@every_attack
def test_a_size_or_an_epsilon_beyond_the_limits_is_refused_at_once(name: str) -> None:
    attack = ATTACKS[name]
    for n in (attack.least - 1, attack.most + 1):
        with pytest.raises(InvalidValue, match=f"n of {name} is the number of {attack.size}"):
            attack.run(Setting(n=n))
    for epsilon in ("0.001", "30"):
        with pytest.raises(InvalidValue, match="epsilons from"):
            attack.run(Setting(bound=Bound.of_epsilon(epsilon)))


@every_attack
@pytest.mark.parametrize("epsilon", ["0.05", "20"])
def test_an_attack_runs_at_extreme_epsilons(name: str, epsilon: str) -> None:
    result = ATTACKS[name].run(Setting(n=ATTACKS[name].least, bound=Bound.of_epsilon(epsilon)))
    json.dumps(result.to_json(), allow_nan=False)


@every_attack
@pytest.mark.parametrize("file", [False, True])
def test_the_picture_is_well_formed_described_and_has_no_inline_style(name: str, *, file: bool) -> None:
    picture = run(name).picture
    text = draw_picture(picture, prefix=name, file=file)
    root = ET.fromstring(text)
    assert root.findtext(f"{SVG}title") == picture.title
    assert root.findtext(f"{SVG}desc") == picture.description
    assert "style=" not in text
    assert len(root.findall(f"{SVG}circle")) >= sum(len(series.points) for series in picture.series if series.dots)
    assert all(0 <= float(dot.attrib["cx"].rstrip("%")) <= 100 for dot in root.iter(f"{SVG}circle"))


def test_the_picture_escapes_what_it_writes() -> None:
    picture = replace(run("other-side").picture, title="<script>&")
    assert "<script>" not in draw_picture(picture, prefix="x")
