"""The picture: well formed, to scale, and safe with any text."""

from __future__ import annotations

from itertools import pairwise
from xml.etree import ElementTree

import pytest

from hushpoll_server.dashboard.chart import Row, draw_chart, place, wrap
from hushpoll_server.estimate import Interval

SVG = "{http://www.w3.org/2000/svg}"


def row(estimate: float, half: float = 0.05, *, label: str = "yes", sampling: Interval | None = None) -> Row:
    intervals = tuple(Interval(estimate - part * half, estimate + part * half) for part in (0.35, 0.65, 1))
    return Row(
        label=label, value="", spoken=f"{label} spoken.", estimate=estimate, intervals=intervals, sampling=sampling
    )


def draw(*rows: Row, file: bool = False, title: str = "Title", prefix: str = "chart") -> ElementTree.Element:
    return ElementTree.fromstring(draw_chart(list(rows), prefix=prefix, title=title, legend=("Legend",), file=file))


def marks(picture: ElementTree.Element, name: str) -> list[ElementTree.Element]:
    return [each for each in picture.iter() if name in each.get("class", "").split()]


def percent(element: ElementTree.Element, name: str) -> float:
    return float(element.get(name, "").removesuffix("%"))


def test_dots_lie_in_the_order_of_their_estimates() -> None:
    estimates = [0.0, 0.001, 0.2, 0.5, 0.77, 1.0]
    places = [percent(dot, "cx") for dot in marks(draw(*map(row, estimates)), "chart-dot")]
    assert len(places) == len(estimates)
    assert all(left < right for left, right in pairwise(places))


def test_a_dot_stands_on_the_scale_that_the_ticks_show() -> None:
    picture = draw(row(0.25))
    [dot] = marks(picture, "chart-dot")
    ticks = {tick.text: percent(tick, "x") for tick in marks(picture, "chart-tick")}
    assert percent(dot, "cx") == ticks["25"]
    assert set(ticks) == {"0", "25", "50", "75", "100 %"}


def test_intervals_lie_within_each_other_and_the_inner_one_is_the_thickest() -> None:
    bars = marks(draw(row(0.4)), "chart-interval")
    assert [bar.get("class") for bar in bars] == [f"chart-interval rank-{rank}" for rank in (2, 1, 0)]
    for outer, inner in pairwise(bars):
        assert percent(outer, "x1") < percent(inner, "x1") < percent(inner, "x2") < percent(outer, "x2")
        assert float(outer.get("stroke-width", "")) < float(inner.get("stroke-width", ""))


@pytest.mark.parametrize(("estimate", "arrow"), [(-0.1, "M-11"), (1.1, "M11")])
def test_an_estimate_beyond_the_axis_is_an_arrow_and_no_dot(estimate: float, arrow: str) -> None:
    picture = draw(row(estimate))
    [mark] = marks(picture, "chart-arrow")
    assert mark.get("d", "").startswith(arrow)
    assert "strays" in mark.get("class", "")
    assert marks(picture, "chart-dot") == []
    assert marks(picture, "chart-interval") == []


def test_an_interval_that_crosses_the_edge_ends_there_with_an_arrow() -> None:
    picture = draw(row(0.02))
    assert min(percent(bar, "x1") for bar in marks(picture, "chart-interval")) == place(0)
    [mark] = marks(picture, "chart-arrow")
    assert "strays" not in mark.get("class", "")
    assert len(marks(picture, "chart-dot")) == 1


def test_an_interval_wider_than_the_axis_has_an_arrow_at_both_ends() -> None:
    assert len(marks(draw(row(0.5, 0.9)), "chart-arrow")) == 2


def test_what_sampling_alone_would_leave_is_bracketed_below_the_dot() -> None:
    picture = draw(row(0.5, sampling=Interval(0.48, 0.52)))
    [bracket] = marks(picture, "chart-sampling")
    [dot] = marks(picture, "chart-dot")
    line = bracket[0]
    assert (percent(line, "x1"), percent(line, "x2")) == (place(0.48), place(0.52))
    assert float(line.get("y1", "")) > float(dot.get("cy", ""))


def test_a_row_without_figures_has_its_words_and_no_marks() -> None:
    picture = draw(Row(label="yes", value="too early: 5 reports", spoken="yes: too early."), file=True)
    assert [each.text for each in marks(picture, "chart-value")] == ["too early: 5 reports"]
    assert marks(picture, "chart-dot") == marks(picture, "chart-interval") == marks(picture, "chart-arrow") == []


@pytest.mark.parametrize("file", [True, False])
def test_texts_are_texts_whatever_they_hold(file: bool) -> None:
    hostile = "</title><script>alert(\"x\")</script> & 'quotes' \x00\x0b\x1f\ufffe {{ 7*7 }}"
    picture = draw(row(0.3, label=hostile), title=hostile, file=file)
    assert not list(picture.iter(f"{SVG}script"))
    title = picture.find(f"{SVG}title")
    assert title is not None
    assert title.text == "</title><script>alert(\"x\")</script> & 'quotes' \ufffd\ufffd\ufffd\ufffd {{ 7*7 }}"


def test_the_picture_has_a_title_and_a_description_with_ids_of_its_own() -> None:
    picture = draw(row(0.3), prefix="chart-cheated")
    ids = [each.get("id") for each in picture.iter() if each.get("id")]
    assert picture.get("role") == "img"
    assert picture.get("aria-labelledby", "").split() == ids == ["chart-cheated-title", "chart-cheated-description"]
    description = picture.find(f"{SVG}desc")
    assert description is not None
    assert description.text == "yes spoken."


def test_no_mark_needs_a_style_sheet_and_none_has_an_inline_style() -> None:
    picture = draw(row(0.3, sampling=Interval(0.28, 0.32)), row(1.2), file=True)
    assert all(each.get("style") is None for each in picture.iter())
    for name in ("chart-interval", "chart-grid", "chart-axis", "chart-sampling"):
        assert all(each.get("stroke", "").startswith("#") for each in marks(picture, name))
    for name in ("chart-dot", "chart-arrow", "chart-ground"):
        assert all(each.get("fill", "").startswith("#") for each in marks(picture, name))


def test_the_file_has_a_size_of_its_own_and_the_page_gives_the_picture_its_width() -> None:
    file, page = draw(row(0.3), file=True), draw(row(0.3))
    assert file.get("viewBox") == f"0 0 720 {file.get('height')}"
    assert (page.get("width"), page.get("viewBox")) == ("100%", None)


def test_rows_do_not_overlap() -> None:
    picture = draw(*[row(0.3, label="a long question " * 20) for _ in range(3)], file=True)
    centres = [float(dot.get("cy", "")) for dot in marks(picture, "chart-dot")]
    labels = [float(label.get("y", "")) for label in marks(picture, "chart-label")]
    assert len(labels) == 9
    assert [sum(label < centre for label in labels) for centre in centres] == [3, 6, 9]
    assert all(float(each.get("y", "0")) <= float(picture.get("height", "")) for each in marks(picture, "chart-legend"))


def test_long_texts_break_and_end_in_an_ellipsis() -> None:
    lines = wrap("word " * 100, columns=20, lines=2)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(len(line) <= 20 for line in lines)


def test_a_long_word_and_wide_letters_break_too() -> None:
    assert wrap("x" * 45, columns=20, lines=3) == ("x" * 20, "x" * 20, "x" * 5)
    assert wrap("問" * 25, columns=20, lines=3) == ("問" * 10, "問" * 10, "問" * 5)
    assert wrap("") == ()
