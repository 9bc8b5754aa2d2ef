"""The chart: well formed, to scale, and safe with any text."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise
from xml.etree import ElementTree

import pytest

from hushpoll_server.dashboard.axis import SHARES, range_axis
from hushpoll_server.dashboard.chart import ChartRow, Section, draw_chart, wrap
from hushpoll_server.dashboard.histogram import Steps
from hushpoll_server.estimate.intervals import Interval

SVG = "{http://www.w3.org/2000/svg}"


def row(
    estimate: float,
    half: float = 0.05,
    *,
    label: str = "yes",
    sampling: Interval | None = None,
    band: Interval | None = None,
) -> ChartRow:
    intervals = tuple(Interval(estimate - part * half, estimate + part * half) for part in (0.35, 0.65, 1))
    spoken = f"{label} spoken."
    return ChartRow(
        label=label, value="", spoken=spoken, estimate=estimate, intervals=intervals, sampling=sampling, band=band
    )


def draw(*rows: ChartRow, file: bool = False, title: str = "Title", prefix: str = "chart") -> ElementTree.Element:
    return draw_sections(Section(rows=rows), file=file, title=title, prefix=prefix)


def draw_sections(
    *sections: Section, file: bool = False, title: str = "Title", prefix: str = "chart"
) -> ElementTree.Element:
    return ElementTree.fromstring(draw_chart(sections, prefix=prefix, title=title, legend=("Legend",), file=file))


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
    assert min(percent(bar, "x1") for bar in marks(picture, "chart-interval")) == SHARES.place(0)
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
    assert (percent(line, "x1"), percent(line, "x2")) == (SHARES.place(0.48), SHARES.place(0.52))
    assert float(line.get("y1", "")) > float(dot.get("cy", ""))


def test_what_made_up_reports_leave_possible_is_dashed_above_the_dot() -> None:
    picture = draw(row(0.5, band=Interval(0.4, 1.7)))
    [band], [dot] = marks(picture, "chart-band"), marks(picture, "chart-dot")
    assert (percent(band[0], "x1"), percent(band[0], "x2")) == (SHARES.place(0.4), SHARES.place(1))
    assert band[0].get("stroke-dasharray")
    assert float(band[0].get("y1", "")) < float(dot.get("cy", ""))


def test_rows_are_equally_high_whether_they_have_a_bracket_or_not() -> None:
    picture = draw(row(0.5, sampling=Interval(0.48, 0.52)), row(0), row(0.7))
    first, second, third = (float(dot.get("cy", "")) for dot in marks(picture, "chart-dot"))
    assert second - first == third - second


def test_many_rows_stand_closer_together() -> None:
    few, many = (float(draw(*[row(0.5, label="x")] * number).get("height", "")) / number for number in (6, 30))
    assert many < 0.75 * few


def test_a_mean_stands_on_the_axis_of_its_own_range() -> None:
    picture = draw_sections(Section(rows=(row(12.5, 30),), axis=range_axis(0, 50)))
    [dot] = marks(picture, "chart-dot")
    ticks = {tick.text: percent(tick, "x") for tick in marks(picture, "chart-tick")}
    assert list(ticks) == ["0", "10", "20", "30", "40", "50"]
    assert percent(dot, "cx") == pytest.approx(ticks["10"] + (ticks["20"] - ticks["10"]) / 4, abs=1e-3)
    # From −17.5 to 42.5: beyond the left end only.
    assert [mark.get("d", "")[:4] for mark in marks(picture, "chart-arrow")] == ["M-11"]


def test_sections_stand_below_each_other_with_their_headings_and_axes() -> None:
    sections = [Section(rows=(row(0.3),), heading="First"), Section(rows=(row(3),), axis=range_axis(1, 5), heading="B")]
    picture = draw_sections(*sections, file=True)
    assert [each.text for each in marks(picture, "chart-heading")] == ["Title", "First", "B"]
    tops = [float(each.get("y", "")) for each in marks(picture, "chart-heading")]
    axes = sorted({float(each.get("y", "")) for each in marks(picture, "chart-tick")})
    assert tops[1] < axes[0] < tops[2] < axes[1] < float(picture.get("height", ""))


def test_a_distribution_is_drawn_above_its_axis() -> None:
    picture = draw_sections(Section(rows=(row(3),), axis=range_axis(1, 5), steps=Steps((0.7, 0.3))))
    assert len(marks(picture, "chart-area")) == 1
    [line] = marks(picture, "chart-steps")
    assert line.get("vector-effect") == "non-scaling-stroke"
    names = [tick.text for tick in marks(picture, "chart-halo")]
    assert names == ["20 %", "40 %", "60 %"]


def test_a_row_without_figures_has_its_words_and_no_marks() -> None:
    picture = draw(ChartRow(label="yes", value="too early: 5 reports", spoken="yes: too early."), file=True)
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
    rows = (row(0.3, sampling=Interval(0.28, 0.32), band=Interval(0.2, 0.4)), row(1.2))
    picture = draw_sections(Section(rows=rows, steps=Steps((0.5, 0.5))), file=True)
    assert all(each.get("style") is None for each in picture.iter())
    for name in ("chart-interval", "chart-grid", "chart-axis", "chart-sampling", "chart-band", "chart-steps"):
        assert all(each.get("stroke", "").startswith("#") for each in marks(picture, name))
    for name in ("chart-dot", "chart-arrow", "chart-ground", "chart-area"):
        assert all(each.get("fill", "").startswith("#") for each in marks(picture, name))


def test_the_file_has_a_size_of_its_own_and_the_page_gives_the_picture_its_width() -> None:
    file, page = draw(row(0.3), file=True), draw(row(0.3))
    assert file.get("viewBox") == f"0 0 720 {file.get('height')}"
    assert (page.get("width"), page.get("viewBox")) == ("100%", None)


@pytest.mark.parametrize(
    ("label", "lines"), [("short", 1), ("a label that leaves no room at its end", 2), ("a label of two lines " * 2, 2)]
)
def test_a_value_never_stands_on_its_label(label: str, lines: int) -> None:
    picture = draw(replace(row(0.3, label=label), value="30 % ± 4"))
    texts, [value] = marks(picture, "chart-label"), marks(picture, "chart-value")
    beside = [each.text or "" for each in texts if each.get("y") == value.get("y")]
    assert all(len(text) <= 24 for text in beside)
    assert len({each.get("y") for each in (*texts, value)}) == lines
    [dot] = marks(picture, "chart-dot")
    assert float(value.get("y", "")) < float(dot.get("cy", ""))


def test_rows_do_not_overlap() -> None:
    picture = draw(*[row(0.3, label="a long question " * 20) for _ in range(3)], file=True)
    centres = [float(dot.get("cy", "")) for dot in marks(picture, "chart-dot")]
    labels = [float(label.get("y", "")) for label in marks(picture, "chart-label")]
    assert len(labels) == 9
    assert [sum(label < centre for label in labels) for centre in centres] == [3, 6, 9]
    assert all(float(each.get("y", "0")) <= float(picture.get("height", "")) for each in marks(picture, "chart-legend"))


def test_a_long_legend_breaks_within_the_picture() -> None:
    picture = ElementTree.fromstring(
        draw_chart([Section(rows=(row(0.3),))], prefix="chart", title="T", legend=("word " * 50,), file=True)
    )
    lines = marks(picture, "chart-legend")
    assert len(lines) == 3
    assert all(float(line.get("y", "")) < float(picture.get("height", "")) for line in lines)


def test_long_texts_break_and_end_in_an_ellipsis() -> None:
    lines = wrap("word " * 100, columns=20, lines=2)
    assert len(lines) == 2
    assert lines[1].endswith("…")
    assert all(len(line) <= 20 for line in lines)


def test_a_long_word_and_wide_letters_break_too() -> None:
    assert wrap("x" * 45, columns=20, lines=3) == ("x" * 20, "x" * 20, "x" * 5)
    assert wrap("問" * 25, columns=20, lines=3) == ("問" * 10, "問" * 10, "問" * 5)
    assert wrap("", columns=20) == ()
