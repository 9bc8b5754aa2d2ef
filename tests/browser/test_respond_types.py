"""Every type of question in the form: what is shown, what can be answered, and that it says what the label says."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from playwright.sync_api import Page, ViewportSize, expect
from tests.browser.form import AT_REST, Site, answer, expect_heading, give, send
from tests.browser.walk import Walk
from tests.samples.every_type import (
    FIRST,
    ONE,
    every_type,
    joined,
    numbers,
    options,
    plain_and_choices,
    scales_and_ticks,
)

from hushpoll_server.mechanisms import Bound
from hushpoll_server.mechanisms.privset import PrivSetMechanism
from hushpoll_server.mechanisms.projective import ProjectiveMechanism
from hushpoll_server.mechanisms.square_wave import SquareWaveMechanism
from hushpoll_server.mechanisms.subset import SubsetMechanism
from hushpoll_server.respond import label
from hushpoll_server.words import ENGLISH
from hushpoll_shared.manifest import Manifest
from hushpoll_shared.question_types import MultiChoice, Number, Pair, Scale, SingleChoice
from hushpoll_shared.questions import Question
from hushpoll_shared.words import interface

TINY: ViewportSize = {"width": 360, "height": 640}
REVIEW = ["Yes", "Yes", "never", "Kingston 7", "42", "1 – not at all", "9", "phone", "phone, notes", "3", "0.5", "7.5",
          "Prefer not to say", "4", "Yes", "5 – completely", "weekly"]  # fmt: skip
LARGEST = SingleChoice(options(*(f"Entry {i}" for i in range(99_999)), "Zürich"))


def open_question(page: Page, site: Site, question: Question) -> None:
    page.goto(site.publish(every_type(questions=(question,), panel=None)))
    page.get_by_role("button", name="begin").click()


def question_of(questions: tuple[Question, ...], name: str) -> Question:
    return next(question for question in questions if question.id == name)


def by_mechanism() -> list[Question]:
    """Return one question for each mechanism, the one with the longest sentence."""
    questions = sorted(every_type().questions, key=lambda question: len(question.told("en").odds))
    return list({question.design.NAME: question for question in questions}.values())


def go_on(page: Page) -> None:
    page.locator(".way button").last.click()


@pytest.mark.parametrize("viewport", [TINY])
def test_every_type_is_asked_reviewed_sent_and_explained_as_on_the_label(
    page: Page, site: Site, complaints: list[str]
) -> None:
    manifest = every_type()
    page.goto(site.publish(manifest))
    assert len(page.locator("#label").inner_text().split()) <= 120
    page.get_by_role("button", name="begin").click()
    # Both parts of a pair are asked under the odds of the pair.
    asked = [question for question in manifest.questions for _ in question.type.parts or [None]]
    for question, choice in zip(asked, FIRST, strict=True):
        expect(page.locator("#about")).to_have_text("Chance may change this answer before it is sent.")
        page.get_by_text("How exactly?").click()
        expect(page.locator(".odds")).to_have_text(question.told("en").odds)
        give(page, choice)
        assert page.evaluate("document.documentElement.scrollWidth") <= TINY["width"]
        go_on(page)
    assert page.locator(".review strong").all_inner_texts() == REVIEW
    send(page)
    expect_heading(page, "Sent. Thank you.")
    page.get_by_text("See what was sent").click()
    sent = [f"{question.text} {question.told('en').sent}" for question in manifest.questions]
    said = page.locator("details div p").all_inner_texts()
    assert [text.startswith(phrase) for text, phrase in zip(said, sent, strict=True)] == [True] * len(sent)
    expect(page.locator("details").first.locator("p").last).to_contain_text("None of it is an admission")
    assert site.stored(manifest.survey) == 1
    left = json.dumps(page.evaluate(AT_REST)) + site.sent[0].body.decode()
    assert not [marker for marker in ("Kingston", "never", "weekly", "phone", "0.5", "true") if marker in left]
    assert complaints == []


def test_the_first_screen_says_the_same_as_the_label_in_at_most_120_words(page: Page, site: Site) -> None:
    for question in by_mechanism():
        name = question.design.NAME
        panel = "students" if name == "repeated" else None
        page.goto(site.publish(every_type(survey=name, questions=(question,), panel=panel)))
        shown = page.locator("#label")
        expect(shown.get_by_role("row")).to_have_count(6)
        assert len(shown.inner_text().split()) <= 120
        shown.get_by_text("How exactly?").click()
        expect(shown.locator(".odds")).to_have_text(question.told("en").odds)


@pytest.mark.parametrize("language", ["ar", "de", "fr"])
def test_the_form_says_what_the_label_says_in_every_language(page: Page, site: Site, language: str) -> None:
    manifest, words = every_type(language=language), interface(language)
    page.goto(site.publish(manifest))
    walk = Walk(page, words)
    walk.ready()
    said = [f"{row.who}\t{row.verdict}. {row.reason}" for row in label.rows(manifest, words)]
    assert page.locator("#label").get_by_role("row").all_inner_texts() == said
    walk.press(walk.button("begin"))
    for question in manifest.questions:
        for _ in question.type.parts or [None]:
            told = question.told(language)
            expect(page.locator("#about")).to_have_text(told.short)
            page.get_by_text(told.how).click()
            expect(page.locator(".odds")).to_have_text(told.odds)
            walk.choose()
            go_on(page)
    walk.send()
    page.locator("summary").first.click()
    sent = page.locator("details div p").all_inner_texts()
    for question, text in zip(manifest.questions, sent, strict=True):
        assert text.startswith(f"{question.text} {question.told(language).sent}")


def test_a_survey_in_waves_that_asks_some_questions_says_so_as_the_label_does(page: Page, site: Site) -> None:
    manifest = every_type(questions=joined(), ask=1)
    form = site.publish(manifest)
    page.goto(form)
    for note in (ENGLISH.fill("note_asking", ask=1, all=2), ENGLISH["note_waves"]):
        expect(page.locator("#label")).to_contain_text(note)
    answer(page, "Yes", "2", "never")
    send(page)
    expect(page.locator("details").first.locator("p").nth(-2)).to_have_text(
        "Dashes stand for the questions that your device left out."
    )
    page.goto(f"{form}/privacy")
    for note in label.notes(manifest):
        expect(page.locator("main")).to_contain_text(note)


@pytest.mark.parametrize("viewport", [TINY])
def test_long_words_and_long_answers_stay_on_a_phone(page: Page, site: Site) -> None:
    word, text = "Antidisestablishment" * 3, "as long as an option that says everything exactly " * 4
    kind = SingleChoice(options(text.strip(), word))
    questions = tuple(Question(name, f"{word} {word}", kind, SubsetMechanism.of(ONE, 2)) for name in ("a", "b"))
    page.goto(site.publish(every_type(title=word, questions=questions, panel=None)))
    walk = Walk(page)
    for screen in walk.screens():
        assert page.evaluate("document.documentElement.scrollWidth") <= TINY["width"], screen


def test_the_words_below_a_scale_name_their_points(page: Page, site: Site) -> None:
    kind = Scale(1, 5, ((1, "never"), (3, "sometimes")))
    open_question(page, site, Question("often", "How often?", kind, SubsetMechanism.of(ONE, 5)))
    assert page.locator(".scale-words > *").all_inner_texts() == ["1 – never", "3 – sometimes"]


def test_what_is_no_number_of_the_range_is_refused_announced_and_linked(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "hours"))
    box = page.get_by_role("textbox", name="A number from 0 to 40")
    alert = page.get_by_role("alert")
    for text in ("", "forty", "41", "-1", "1,500", "1 0", "0x10", "1e1", "Infinity"):
        box.fill(text)
        box.press("Enter")
        expect(alert).to_contain_text("Write a number from 0 to 40")
        expect(alert).to_be_focused()
        expect(box).to_have_attribute("aria-invalid", "true")
        alert.get_by_role("button").click()
        expect(box).to_be_focused()
        box.fill("7")
        expect(alert).to_be_hidden()
        expect(box).not_to_have_attribute("aria-invalid", "true")


def test_a_number_may_have_a_comma_and_is_shown_as_it_was_read(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "hours"))
    for text, read in (("7,5", "7.5"), ("0,125", "0.125"), (" .5 ", "0.5"), ("0.0000001", "0.0000001")):
        page.get_by_role("textbox").fill(text)
        page.keyboard.press("Enter")
        expect(page.locator(".review strong")).to_have_text(read)
        page.get_by_role("button", name="Change").click()
        expect(page.get_by_role("textbox")).to_have_value(read)


def test_the_slider_and_the_field_are_one_number_and_a_slider_nobody_moved_is_none(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "hours"))
    box, slider = page.get_by_role("textbox"), page.get_by_role("slider", name="The same number, on a line")
    expect(slider).to_have_attribute("aria-valuetext", "–")
    go_on(page)
    expect(page.get_by_role("alert")).to_be_focused()
    slider.press("ArrowRight")
    expect(box).to_have_value("21")
    expect(page.get_by_role("alert")).to_be_hidden()
    box.fill("7,5")
    expect(slider).to_have_attribute("aria-valuetext", "7,5")
    slider.press("End")
    expect(box).to_have_value("40")
    box.fill("")
    expect(slider).to_have_attribute("aria-valuetext", "–")
    # A click on the middle, where the slider stands already, is an answer too.
    slider.click()
    expect(box).to_have_value("20")
    go_on(page)
    expect(page.locator(".review strong")).to_have_text("20")


def test_a_slider_reaches_both_ends_of_its_range_and_no_further(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "pay"))
    for key, end in (("End", "100"), ("Home", "-1.5")):
        page.get_by_role("slider").press(key)
        expect(page.get_by_role("textbox")).to_have_value(end)


def test_digits_of_arabic_keyboards_are_read(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "hours"))
    page.get_by_role("textbox").fill("٣٥")
    page.keyboard.press("Enter")
    expect(page.locator(".review strong")).to_have_text("35")


def test_nothing_ticked_is_an_answer_that_the_button_names(page: Page, site: Site) -> None:
    open_question(page, site, question_of(scales_and_ticks(), "ways"))
    page.get_by_role("checkbox", name="notes").check()
    expect(page.get_by_role("button", name="To the review")).to_be_visible()
    page.get_by_role("checkbox", name="notes").uncheck()
    page.get_by_role("button", name="None of these").click()
    expect(page.locator(".review strong")).to_have_text("None of these")


def test_prefer_not_to_say_stands_alone_among_ticks(page: Page, site: Site) -> None:
    open_question(page, site, question_of(scales_and_ticks(), "ways"))
    give(page, ["notes", "phone", "Prefer not to say"])
    expect(page.get_by_role("checkbox", checked=True)).to_have_count(1)
    give(page, ["phone"])
    expect(page.get_by_role("checkbox", name="Prefer not to say")).not_to_be_checked()
    go_on(page)
    page.get_by_role("button", name="Change").click()
    expect(page.get_by_role("checkbox", name="phone")).to_be_checked()


def test_more_ticks_than_allowed_are_refused(page: Page, site: Site) -> None:
    open_question(page, site, question_of(scales_and_ticks(), "best"))
    expect(page.locator("fieldset")).to_contain_text("Choose at most 2.")
    give(page, ["phone", "notes", "neighbour"])
    go_on(page)
    expect(page.get_by_role("alert")).to_have_text("Choose at most 2 to go on.")
    page.get_by_role("checkbox", name="phone").uncheck()
    go_on(page)
    expect(page.locator(".review strong")).to_have_text("notes, neighbour")


def test_a_codebook_of_a_hundred_thousand_is_searched_by_keyboard_alone(page: Page, site: Site) -> None:
    question = Question("place", "Where do you live?", LARGEST, ProjectiveMechanism.of(ONE, 100_000))
    open_question(page, site, question)
    expect(page.get_by_role("status")).to_have_text("The first 8 of 100,000 are shown.")
    page.keyboard.press("Tab")
    expect(page.get_by_role("textbox", name="Search the 100,000 answers")).to_be_focused()
    page.keyboard.insert_text("zurich")
    expect(page.get_by_role("radio")).to_have_count(1)
    page.keyboard.press("Tab")
    page.keyboard.press("Space")
    page.keyboard.press("Shift+Tab")
    page.keyboard.press("ControlOrMeta+a")
    page.keyboard.insert_text("entry 77")
    # What was chosen stays in sight.
    expect(page.get_by_role("radio").first).to_be_checked()
    expect(page.get_by_role("radio")).to_have_count(9)
    page.keyboard.press("Enter")
    expect(page.locator(".review strong")).to_have_text("Zürich")


def test_enter_in_the_search_takes_the_first_match_and_an_arrow_leads_into_the_list(page: Page, site: Site) -> None:
    open_question(page, site, question_of(plain_and_choices(), "town"))
    page.get_by_role("textbox").fill("kingston 7")
    page.keyboard.press("ArrowDown")
    expect(page.get_by_role("radio", name="Kingston 7", exact=True)).to_be_focused()
    page.get_by_role("textbox").press("Enter")
    expect(page.locator(".review strong")).to_have_text("Kingston 7")


def test_enter_in_a_search_without_a_match_takes_nothing(page: Page, site: Site) -> None:
    open_question(page, site, question_of(plain_and_choices(), "town"))
    page.get_by_role("textbox").fill("nowhere")
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_be_focused()


def test_a_question_without_its_answer_is_not_passed(page: Page, site: Site) -> None:
    open_question(page, site, question_of(plain_and_choices(), "town"))
    give_nothing = page.get_by_role("textbox")
    give_nothing.fill("nowhere")
    expect(page.get_by_role("status")).to_have_text("No answer matches.")
    go_on(page)
    expect(page.get_by_role("alert")).to_have_text("Choose an answer to go on.")


def test_an_answer_of_any_type_is_gone_when_the_page_was_left(page: Page, site: Site) -> None:
    manifest = every_type(questions=numbers(), panel=None)
    form = site.publish(manifest)
    page.goto(form)
    answer(page, 3, 0.5, 7.5, ["Prefer not to say"], "4")
    page.goto(f"{form}/privacy")
    page.go_back()
    page.get_by_role("button", name="begin").click()
    expect(page.get_by_role("textbox")).to_have_value("")


def test_the_words_of_the_label_fit_a_pair(page: Page, site: Site) -> None:
    pair = question_of(joined(), "job_and_sleep")
    assert isinstance(pair.type, Pair)
    manifest: Manifest = replace(every_type(), questions=(pair,), panel=None)
    page.goto(f"{site.publish(manifest)}/privacy")
    for words in (pair.told("en").odds, *(part.text for part in pair.type.parts)):
        expect(page.locator("main")).to_contain_text(words)


def test_a_number_and_prefer_not_to_say_exclude_each_other(page: Page, site: Site) -> None:
    open_question(page, site, question_of(numbers(), "income"))
    box, declines = page.get_by_role("textbox"), page.get_by_role("checkbox", name="Prefer not to say")
    box.fill("7")
    declines.check()
    expect(box).to_have_value("")
    page.get_by_role("checkbox", name="Does not apply").check()
    expect(declines).not_to_be_checked()
    box.fill("3")
    expect(page.get_by_role("checkbox", name="Does not apply")).not_to_be_checked()


def test_the_rows_of_the_label_look_at_all_answers_together(page: Page, site: Site) -> None:
    for number, verdict in ((1, "No."), (9, "Probably.")):
        [plain] = [replace(question, text="Same?") for question in plain_and_choices()[:1]]
        questions = tuple(replace(plain, id=f"q{i}") for i in range(number))
        manifest = every_type(survey=f"same{number}", questions=questions, panel=None)
        page.goto(site.publish(manifest))
        page.get_by_role("button", name="begin").wait_for()
        shown = page.locator("#label .verdict").all_inner_texts()
        assert shown == [f"{row.verdict}." for row in label.rows(manifest)]
        assert shown[0] == verdict


@pytest.mark.parametrize(
    ("kind", "wanted"),
    [
        (SingleChoice(options(*(f"Nurse {i}" for i in range(1, 20)), "Nurse")), "Nurse"),
        (Scale(-30, -1), "-1"),
        (SingleChoice(options(*(f"{'a' * i}\u0301" for i in range(13, 0, -1)))), "a\u0301"),
    ],
    ids=["the last of many that begin alike", "a point that others begin with", "written with an accent"],
)
def test_what_is_written_in_full_can_be_chosen_however_many_begin_like_it(
    page: Page, site: Site, kind: SingleChoice | Scale, wanted: str
) -> None:
    open_question(page, site, Question("work", "What?", kind, SubsetMechanism.of(ONE, len(kind.cells))))
    give(page, (wanted, wanted))
    go_on(page)
    expect(page.locator("main strong")).to_have_text(wanted)


def test_the_receipt_names_the_answers_that_a_set_or_a_pair_stands_for(page: Page, site: Site) -> None:
    names = ["never", "once", "twice", "sometimes", "often", "always"]
    design = SubsetMechanism.of(Bound.of_epsilon("1/2"), len(names))
    frequency = Question("frequency", "How often?", SingleChoice(options(*names)), design)
    pair = next(question for question in joined() if question.type.parts)
    page.goto(site.publish(every_type(survey="sets", questions=(frequency, pair), panel=None)))
    walk = Walk(page)
    walk.ready()
    walk.press(walk.button("begin"))
    walk.answer_all()
    walk.send()
    page.get_by_text("See what was sent").click()
    first, second = page.locator("details strong").all_inner_texts()
    draw = json.loads(site.sent[0].body)["answers"]["frequency"]
    bits = f"{int(draw, 16):0{4 * len(draw)}b}"
    drawn = [name for name, bit in zip(names, bits, strict=False) if bit == "1"]
    assert len(drawn) > 1
    assert first == f"one of: {', '.join(drawn)}"
    assert " × " in second


def test_the_receipt_names_some_of_a_codebooks_answers_ticks_of_a_set_and_a_number(page: Page, site: Site) -> None:
    jobs = [f"job {number}" for number in range(3000)]
    codebook = Question("job", "Which?", SingleChoice(options(*jobs)), ProjectiveMechanism.of(ONE, len(jobs)))
    ways = MultiChoice(options("a", "b", "c", "d"), most=2)
    ticks = Question("ways", "How?", ways, PrivSetMechanism.of(Bound.of_epsilon("8"), 4, 2))
    hours = Number("0", "40", "distribution")
    number = Question("hours", "How long?", hours, SquareWaveMechanism.of(Bound.of_epsilon("8"), 64, 2))
    page.goto(site.publish(every_type(survey="decoded", questions=(codebook, ticks, number), panel=None)))
    walk = Walk(page)
    walk.ready()
    walk.press(walk.button("begin"))
    walk.answer_all()
    walk.send()
    page.get_by_text("See what was sent").click()
    some, ticked, about = page.locator("details strong").all_inner_texts()
    assert some.startswith("one of: job ")
    assert some.count("job ") == 12
    assert some.endswith(", …")
    assert set(ticked.split(", ")) <= {"a", "b", "c", "d", ""}
    assert -10 < float(about) < 50
