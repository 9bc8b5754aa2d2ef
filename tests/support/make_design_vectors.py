"""Write the test vectors of every design but Warner's, and of the manifests and reports of format 2.

As with make_vectors: run it only when a vector is added. Both languages read them, so an error in one shows in the
other; the probabilities behind them are checked by exact enumeration in tests/contract/.
"""

from __future__ import annotations

import json
from dataclasses import replace
from fractions import Fraction
from typing import Any

from tests.support.make_vectors import KEY, VECTORS, Vector
from tests.support.streams import FixedTestStream

from hushpoll_client.draw import DRAW_OF_DESIGN
from hushpoll_client.permanent import Memory
from hushpoll_client.survey import Survey
from hushpoll_shared import strict_json
from hushpoll_shared.checks import read_time
from hushpoll_shared.designs import (
    Ball,
    Bound,
    Channel,
    Design,
    Laplace,
    Padded,
    Projective,
    Repeated,
    Subset,
    Warner,
    Wave,
)
from hushpoll_shared.designs.grid import position
from hushpoll_shared.epsilon import format_odds
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.questions import (
    MultiChoice,
    Number,
    Option,
    Pair,
    Part,
    Question,
    Scale,
    SingleChoice,
    YesNo,
)
from hushpoll_shared.randomness import SPAN
from hushpoll_shared.signing import sign

DRAWS = 8
SECRET = bytes(range(32))


def epsilon(value: str) -> Bound:
    return Bound.of_epsilon(value)


def exact_channel() -> Channel:
    """Give a channel whose table is exact: P(3) = (i + 1)/4 at point i, values −1 and 3."""
    return Channel((-1, 3), 1, tuple((SPAN * (3 - i) // 4,) for i in range(3)))


def wide_channel() -> Channel:
    """Give a channel with more rows and outputs, exact too, in units of half a step."""
    rows = [[5 - i, 7 - i, 3 + i, 1 + i] for i in range(5)]
    table = tuple(tuple(SPAN * sum(row[: j + 1]) // 16 for j in range(3)) for row in rows)
    return Channel((-8, 0, 8, 16), 2, table)


def channel_with_extras() -> Channel:
    """Give an exact channel with two extras: a quarter of the draws tells a number from each of them."""
    telling = [[2, 1, 1]] * 3 + [[1, 2, 1], [1, 1, 2]]
    numbers = [[9, 3], [6, 6], [3, 9], [6, 6], [6, 6]]
    rows = [one + other for one, other in zip(telling, numbers, strict=True)]
    table = tuple(tuple(SPAN * sum(row[: j + 1]) // 16 for j in range(4)) for row in rows)
    return Channel((None, None, None, -1, 3), 1, table, 2)


def draws(design: Design, code: Any, written: Any, seed: str) -> Vector:
    source = FixedTestStream(seed)
    drawn = [DRAW_OF_DESIGN[type(design)](design, source, code) for _ in range(DRAWS)]
    return {"mechanism": design.to_json(), "code": written, "seed": seed, "draws": drawn, "bytes": source.taken}


def choices(designs: list[Any]) -> list[Vector]:
    return [
        draws(design, code, code, f"{design.NAME}-{i}-{code}")
        for i, design in enumerate(designs)
        for code in sorted({0, design.size // 2, design.size - 1})
    ]


def ticks(designs: list[Any], answers: list[list[int]]) -> list[Vector]:
    return [
        draws(design, _bits(design.options, ticked), list(_bits(design.options, ticked)), f"{design.NAME}-{i}-{j}")
        for i, design in enumerate(designs)
        for j, ticked in enumerate(answers)
    ]


def numbers(designs: list[Any]) -> list[Vector]:
    ranges: list[tuple[str, str, list[float]]] = [
        ("0", "40", [0, 40, 7.1, 39.99, -3, 1e300, 20]),
        ("-1.5", "2.25", [0.1, -1.5, 5e-324]),
    ]
    return [
        draws(design, position(value, Fraction(low), Fraction(high)), {"min": low, "max": high, "value": value}, seed)
        for i, design in enumerate(designs)
        for low, high, values in ranges
        for value in values
        for seed in [f"{design.NAME}-{i}-{low}-{value}"]
    ]


def extras(design: Any) -> list[Vector]:
    """Give draws for what is no number, whose code is its place among the extras."""
    return [draws(design, code, code, f"{design.NAME}-extra-{code}") for code in range(design.extras)]


def _bits(size: int, ticked: list[int]) -> tuple[int, ...]:
    return tuple(int(option in ticked) for option in range(size))


def broken(design: Design, **changes: Any) -> list[Vector]:
    """Give the mechanism with one field wrong at a time; an epsilon that is too small and a wrong ratio among them."""
    fields = design.to_json()
    everywhere = {"name": "unknown", "odds": "1:1", "epsilon": "0.0001"}
    cases = [({**fields, key: value}, key) for key, value in {**everywhere, **changes}.items()]
    cases.append(({**fields, "extra": 1}, "extra"))
    cases.append(({key: value for key, value in fields.items() if key != "epsilon"}, "no epsilon"))
    return [{"mechanism": mechanism, "why": why} for mechanism, why in cases]


def subset() -> Vector:
    designs = [
        Subset.from_bound(epsilon("1"), 4),
        Subset.from_bound(epsilon("1"), 16),
        Subset.from_bound(epsilon("0.5"), 5),
        Subset.from_bound(Bound.of_odds("3:1"), 2),
        Subset.from_bound(epsilon("1"), 128),
        Subset.from_bound(epsilon("20"), 17),
    ]
    wrong = broken(designs[1], size=1, picks=0, threshold="0") + broken(designs[1], size=10**6, picks=16)
    wrong += broken(designs[1], size="16", threshold=1, picks=4.5) + broken(designs[1], threshold=str(SPAN))
    about = "keep = [u64 < threshold]; picks of the others by Fisher-Yates; the last becomes the truth if kept"
    return {"about": about, "cases": choices(designs), "refused": wrong}


def projective() -> Vector:
    designs = [
        Projective.from_bound(epsilon("1"), 3000),
        Projective.from_bound(epsilon("4"), 100_000),
        Projective.from_bound(epsilon("0.1"), 3000),
        Projective(13, 3, 3, Projective.from_bound(epsilon("1"), 13).threshold),
    ]
    wrong = broken(designs[0], field=4, dimension=1, size=10**9) + broken(designs[0], dimension=40, threshold="1")
    about = "keep, uniform(inside), uniform(outside); a point at right angles to the truth if kept"
    return {"about": about, "cases": choices(designs), "refused": wrong}


def ball() -> Vector:
    designs = [Ball.from_bound(epsilon(e), m) for e, m in (("1", 8), ("2", 8), ("4", 8), ("20", 40), ("4", 3))]
    wrong = broken(designs[1], asked=0, agree=3, options=1000) + broken(designs[1], asked=33, threshold="7")
    about = "asked options by Fisher-Yates, sorted; keep; uniform(inside); uniform(outside); the pattern of flips"
    return {"about": about, "cases": ticks(designs, [[], [0], [1, 2], list(range(40))]), "refused": wrong}


def padded() -> Vector:
    designs = [Padded.from_bound(epsilon(e), m, most) for e, m, most in (("1", 8, 2), ("1", 8, 3), ("0.1", 30, 2))]
    wrong = broken(designs[0], most=9, picks=9, options=1) + broken(designs[0], threshold="99")
    about = "slot = uniform(most) of the padded answer, then subset selection among options and blanks"
    return {"about": about, "cases": ticks(designs, [[], [0], [1, 7]]), "refused": wrong}


def channel() -> Vector:
    designs = [exact_channel(), wide_channel()]
    wrong = broken(designs[1], inputs=4, values=[1, 2], unit=0, table=[["1"]]) + broken(
        designs[0], table=[["0"], ["5"], ["9"]], values=[-1, "3"]
    )
    about = "row = point below + [u64 < fraction]; output = number of thresholds of the row not above a u64"
    telling = channel_with_extras()
    wrong += broken(telling, extras=1, values=[None, None, 0, -1, 3]) + broken(telling, extras=0, inputs=5)
    return {"about": about, "cases": numbers([*designs, telling]) + extras(telling), "refused": wrong}


def wave() -> Vector:
    designs = [Wave.from_bound(epsilon("1"), 16, 4), Wave.from_bound(epsilon("2"), 64, 9)]
    telling = Wave.from_bound(epsilon("1"), 16, 4, 2)
    wrong = broken(designs[0], bins=1, half=5000, threshold="3", extras=1) + broken(telling, extras=3)
    about = "keep; near = bin + uniform(2 half + 1); far = uniform of the others, skipping the near ones"
    return {"about": about, "cases": numbers([*designs, telling]) + extras(telling), "refused": wrong}


def laplace() -> Vector:
    designs = [Laplace.from_bound(epsilon("1")), Laplace.from_bound(epsilon("4"), 4)]
    wrong = broken(designs[1], steps=0, reach=0, threshold="0")
    # So many coins that a device would never finish.
    fields = {**designs[1].to_json(), "threshold": str(SPAN - 1), "odds": format_odds(Fraction(SPAN, SPAN - 1) ** 4)}
    wrong.append({"mechanism": {**fields, "epsilon": "1"}, "why": "too many coins"})
    about = "row as in channel; plus a geometric number, minus another; clamped"
    return {"about": about, "cases": numbers(designs), "refused": wrong}


def repeated() -> Vector:
    cases = []
    for size in (2, 4, 30):
        design = Repeated.from_bounds(epsilon("1"), epsilon("2"), size)
        memory = Memory(SECRET, "panel-a", f'{{"id":"question-{size}","text":"Grün?"}}', design)
        permanent, tags = memory.draws(), [memory.tag(code) for code in range(size)]
        case = draws(design, permanent[size - 1], permanent[size - 1], f"repeated-{size}")
        about = {"secret": SECRET.hex(), "panel": memory.panel, "question": memory.question}
        cases.append({**about, "permanent": permanent, "tags": tags, "wave_epsilon": str(design.once), **case})
    wrong = broken(design, size=1, permanent="0", instant="1") + broken(design, permanent="5")
    about_all = "permanent draws of all answers by HMAC; then subset selection; code is the permanent draw"
    return {"about": about_all, "cases": cases, "refused": wrong}


def every_type() -> tuple[Question, ...]:
    """Give one question of every type and design."""
    colours = tuple(Option(name, name) for name in ("red", "green", "blue"))
    named = (Option("1", "Bus"), Option("0", "Tram – «gelb»"), Option("car", "Car"), Option("on foot", "on foot"))
    both = ("decline", "does_not_apply")
    pair = Pair((Part("smokes", "Do you?", YesNo(("decline",))), Part("colour", "Which?", SingleChoice(colours))))
    age = Wave.from_bound(epsilon("1"), 16, 4, 1)
    codebook = SingleChoice(tuple(Option(f"c{i}", f"c{i}") for i in range(2100)))
    return (
        Question("cheated", "Have you?", YesNo(), Warner.from_odds("3:1")),
        Question("asked", "Were you?", YesNo(both), Subset.from_bound(epsilon("1"), 4)),
        Question("way", "How do you come?", SingleChoice(named, ("decline",)), Subset.from_bound(epsilon("0.5"), 5)),
        Question("code", "Which code?", codebook, Projective.from_bound(epsilon("1"), 2100)),
        Question("stress", "How much?", Scale(-1, 4, ((-1, "none"), (4, "much"))), Subset.from_bound(epsilon("1"), 6)),
        Question("pain", "How much?", Scale(0, 2, (), "mean"), exact_channel()),
        Question("ways", "Which?", MultiChoice(named, None, both), Ball.from_bound(epsilon("2"), 6)),
        Question("few", "Which two?", MultiChoice(named, 2), Padded.from_bound(epsilon("1"), 4, 2)),
        Question("hours", "How long?", Number("0", "40"), wide_channel()),
        Question("height", "How tall?", Number("-1.5", "2.25", "distribution"), Wave.from_bound(epsilon("1"), 16, 4)),
        Question("noise", "How loud?", Number("0", "1"), Laplace.from_bound(epsilon("1"))),
        Question("income", "How much?", Number("0", "9", "mean", both), channel_with_extras()),
        Question("age", "How old?", Number("0", "99", "distribution", ("decline",)), age),
        Question("both", "Both", pair, Subset.from_bound(epsilon("1"), 9)),
    )


def surveys() -> dict[str, tuple[Manifest, list[dict[str, Any]]]]:
    """Give surveys of format 2 with answers to each."""
    full: dict[str, Any] = {
        "cheated": True, "asked": False, "way": "0", "code": "c17", "stress": 4, "pain": 1, "ways": ["car", "1"],
        "few": ["on foot"], "hours": 7.1, "height": -2, "noise": 0.3, "income": 3, "age": None, "smokes": True,
        "colour": "blue",
    }  # fmt: skip
    other: dict[str, Any] = {
        **full, "cheated": False, "asked": "does_not_apply", "way": None, "stress": -1, "ways": None, "few": [],
        "hours": 40, "height": 2, "income": "does_not_apply", "age": 50.5, "smokes": "decline",
        "colour": "red", "pain": 2,
    }  # fmt: skip
    everything = Manifest(
        "everything", "Everything", "Please.", every_type(), 500, read_time("2026-01-01T00:00:00Z", "opens"), None
    )
    some = tuple(question for question in every_type() if question.id in ("asked", "ways", "hours"))
    waves = (
        Question("mood", "Good?", YesNo(("decline",)), Repeated.from_bounds(epsilon("1"), epsilon("2"), 3)),
        Question("sure", "Sure?", YesNo(), Warner.from_epsilon("0.5")),
    )
    return {
        "everything": (everything, [full, other]),
        "some": (
            Manifest("some", "Some", "Please.", some, ask=1),
            [{name: full[name] for name in ("asked", "ways", "hours")}] * 3,
        ),
        "panel": (
            Manifest("wave-2", "Wave 2", "Please.", waves, panel="mood-panel"),
            [{"mood": True, "sure": False}, {"mood": None, "sure": True}],
        ),
    }


def reports2() -> Vector:
    cases = []
    for name, (manifest, answers) in surveys().items():
        reports = []
        for number, answer in enumerate(answers):
            # The last answer of the panel comes from a device with a secret of its own.
            secret = SECRET if manifest.repeats and number else None
            source = FixedTestStream(f"{name}-{number}")
            report = Survey(manifest, secret).randomize(answer, source=source)
            reports.append({
                "answers": answer, "seed": f"{name}-{number}", "secret": secret.hex() if secret else None,
                "body": report.encode().decode(), "memos": report.memos if secret else {}, "bytes": source.taken,
            })  # fmt: skip
        envelope = sign(manifest, KEY).decode()
        cases.append({"name": name, "envelope": envelope, "id": manifest.id, "epsilon": str(manifest.epsilon),
                      "reports": reports})  # fmt: skip
    about = "id; a secret if a question is repeated and the device has none; the asked questions; then their draws"
    return {"about": about, "key": KEY.public, "surveys": cases, "refused_answers": refused_answers()}


def refused_answers() -> list[Vector]:
    """Give answers to the survey of every type that must be refused, one wrong value each."""
    answers = surveys()["everything"][1][0]
    wrong: dict[str, list[Any]] = {
        "cheated": [None, 1, "yes"], "asked": ["maybe", 0], "way": ["Bus", 0, "does_not_apply"], "code": ["c2100", 17],
        "stress": [5, 1.5, "1", True], "pain": [3, None], "ways": ["car", ["car", "car"], ["boat"], [None]],
        "few": [["1", "0", "car"], None], "hours": ["7", None, True, [7]], "height": [{}],
        "income": ["3", True], "age": ["does_not_apply"], "colour": [None, "decline"],
        "both": [1],
    }  # fmt: skip
    return [{**answers, name: value} for name, values in wrong.items() for value in values]


def manifests2() -> Vector:
    """Give payloads that must be refused, each with one thing wrong, and one that is accepted."""
    # Without its codebook, which would fill the file.
    questions = tuple(question for question in every_type() if question.id != "code")
    manifest = replace(surveys()["everything"][0], questions=questions)
    good = json.loads(manifest.payload)
    refused = []

    def refuse(why: str, change: Any) -> None:
        fields = json.loads(manifest.payload)
        change(fields)
        refused.append({"why": why, "payload": strict_json.dumps(fields).decode()})

    def question(name: str, **changes: Any) -> Any:
        def change(fields: Any) -> None:
            [found] = [each for each in fields["questions"] if each["id"] == name]
            found.update(changes)

        return change

    def same_parts(fields: Any) -> None:
        parts = fields["questions"][-1]["parts"]
        parts[1]["id"] = parts[0]["id"]

    refuse("plain format with general questions", lambda f: f.update(format="hushpoll-manifest-1"))
    refuse("ask as large as the survey", lambda f: f.update(ask=len(good["questions"])))
    refuse("ask with a plain question", lambda f: f.update(ask=1))
    refuse("a panel without repeated questions", lambda f: f.update(panel="p"))
    refuse("a total that is too small", lambda f: f.update(epsilon="1"))
    refuse("an unknown type", question("asked", type="essay"))
    refuse("a mechanism for another size", question("asked", extras=[]))
    refuse("extras in another order", question("asked", extras=["does_not_apply", "decline"]))
    refuse("Warner's design with extras", question("cheated", extras=["decline"]))
    refuse("an option twice", question("way", options=["a", "b", "a", "c"]))
    refuse("an option that is a number", question("way", options=["a", "b", 3, "c"]))
    refuse("an option whose id is its text, written twice", question("way", options=[["a", "a"], "b", "c", "d"]))
    refuse("an option whose id is null", question("way", options=["a", "b", [None, "c"], "d"]))
    refuse("an option with an empty id", question("ways", options=["a", "b", ["", "c"], "d"]))
    refuse("an option that can be ticked twice", question("few", options=["a", "b", "a", "c"]))
    refuse("two options with one text", question("way", options=["a", ["b", "a"], "c", "d"]))
    refuse("options that differ in what cannot be seen", question("way", options=["a", ["b", " a\u200b"], "c", "d"]))
    refuse("an option that cannot be seen", question("way", options=["a", ["b", "\u2060"], "c", "d"]))
    refuse("an extra twice", question("asked", extras=["decline", "decline"]))
    refuse("an extra that is null", question("asked", extras=["decline", None]))
    refuse("a range that is no number", question("hours", max="1.5.5"))
    refuse("a range beyond all numbers", question("hours", max="9" * 400))
    refuse("a reserved option", question("way", options=["decline", "b", "c", "d"]))
    refuse("a scale upside down", question("stress", min=4, max=-1))
    refuse("a label outside the scale", question("stress", labels=[[9, "nine"]]))
    refuse("labels in the wrong order", question("stress", labels=[[2, "two"], [1, "one"]]))
    refuse("extras that the channel does not know", question("pain", extras=["decline"]))
    refuse("a channel for other extras", question("income", extras=["decline"]))
    refuse("a wave without its extra", question("age", extras=[]))
    refuse("an unknown report", question("pain", report="median"))
    refuse("too many picks", question("few", most=5))
    refuse("padding without a limit", question("few", most=None))
    refuse("a range without width", question("hours", min="40"))
    refuse("a range with spare zeros", question("hours", min="0.0"))
    refuse("a range that is a number", question("hours", min=0))
    refuse("a distribution by a channel", question("hours", report="distribution"))
    refuse("a pair with three parts", question("both", parts=[{}, {}, {}]))
    refuse("two questions with one id", question("asked", id="colour"))
    refuse("a pair whose parts have one id", same_parts)
    refuse("a key too many", question("asked", note=""))
    plain = Manifest("plain", "Plain", "Please.", every_type()[:1])
    fields = json.loads(plain.payload)
    fields["questions"][0] = {"id": "cheated", "text": "Have you?", "type": "yes_no", "extras": [],
                              "mechanism": fields["questions"][0]["mechanism"]}  # fmt: skip
    order = ["survey", "title", "consent", "population", "opens", "closes", "epsilon"]
    general = {"format": "hushpoll-manifest-2", **{key: fields[key] for key in order}, "ask": None, "panel": None}
    payload = strict_json.dumps({**general, "questions": fields["questions"]}).decode()
    refused.append({"why": "general format for what the plain one can hold", "payload": payload})
    return {"about": "payloads of format 2", "good": [manifest.payload.decode()], "refused": refused}


def main() -> None:
    makers = (subset, projective, ball, padded, channel, wave, laplace, repeated, reports2, manifests2)
    for make in makers:
        text = json.dumps(make(), indent=1, ensure_ascii=False)
        (VECTORS / f"{make.__name__}.json").write_text(text + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
