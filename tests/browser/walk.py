"""A respondent who walks through any survey in any language, by roles and by the interface's own words.

Nothing here knows a survey, so two walks differ in what is chosen, or in the hand that does it, and in nothing else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from playwright.sync_api import Locator, Page, expect
from tests.browser import time_machine

from hushpoll_server.words import ENGLISH
from hushpoll_shared.words import Words

# Which of the answers is given: the first or lowest, or the last or highest; "prefer not to say" and the like are last.
Which = Literal["first", "last"]
MOST_STOPS = 60


@dataclass(frozen=True)
class Walk:
    """One way through a survey, from its first screen to the receipt."""

    page: Page
    words: Words = ENGLISH
    which: Which = "first"

    def screens(self) -> Iterator[str]:
        """Go from the first screen to the receipt, and name each screen while it stands."""
        self.ready()
        yield "first screen"
        self.press(self.page.locator("summary"))
        yield "first screen, opened"
        yield from self.practice()
        self.press(self.button("begin"))
        yield from self.questions()
        yield self.heading()
        self.press(self.button("send"))
        if self.is_held():
            yield self.heading()
        self.wait_for_receipt()
        yield self.heading()
        for details in self.page.locator("summary").all():
            self.press(details)
        yield f"{self.heading()}, opened"

    def ready(self) -> None:
        """Wait for the first screen."""
        self.button("begin").wait_for()

    def practice(self) -> Iterator[str]:
        """Try the practice question, and come back to the first screen."""
        self.press(self.button("practice"))
        yield "practice"
        self.choose()
        self.press(self.button("practice_draw"))
        expect(self.page.get_by_text(self.words["practice_meaning"])).to_be_visible()
        yield "practice, drawn"
        self.press(self.button("practice_done"))

    def questions(self) -> Iterator[str]:
        """Answer every question that is asked, wrongly first, up to the review."""
        while (heading := self.heading()) != self.words["check"]:
            yield heading
            if self.answer_wrongly():
                yield f"{heading}, refused"
            self.choose()
            self.press(self.page.locator("summary"))
            yield f"{heading}, answered"
            self.press(self.onward)

    def answer_all(self) -> None:
        """Answer every question that is asked, up to the review."""
        while self.heading() != self.words["check"]:
            self.choose()
            self.press(self.onward)

    def answer_wrongly(self) -> bool:
        """Try to go on without an answer; return whether this question refuses that."""
        if self.onward.inner_text() == self.words["none"]:
            return self.tick_too_many()
        self.press(self.onward)
        expect(self.page.get_by_role("alert")).to_be_focused()
        return True

    def tick_too_many(self) -> bool:
        """Tick everything where not everything may be ticked; return whether that is the case here."""
        if self.page.get_by_text(self.words["choose_any"]).count():
            return False
        for box in self.page.get_by_role("checkbox").all():
            self.check(box)
        self.press(self.onward)
        expect(self.page.get_by_role("alert")).to_be_focused()
        return True

    def choose(self) -> None:
        """Answer the question on the screen."""
        slider, radios, boxes = (self.page.get_by_role(role) for role in ("slider", "radio", "checkbox"))
        for box in boxes.all():
            if box.is_checked():
                self.check(box)
        if slider.count() and not (boxes.count() and self.which == "last"):
            ends = self.page.locator(".scale-words > *")
            self.write(self.page.get_by_role("textbox"), self.pick(ends).inner_text())
        else:
            self.check(self.pick(radios if radios.count() else boxes))

    def pick(self, choices: Locator) -> Locator:
        """Take the first or the last."""
        return choices.first if self.which == "first" else choices.last

    def send(self) -> None:
        """Press Send and wait for the receipt."""
        self.press(self.button("send"))
        self.wait_for_receipt()

    def is_held(self) -> bool:
        """Wait until Send is done; return whether the report waits for its time."""
        ended = re.compile("|".join(re.escape(self.words[key][0]) for key in ("held", "sent")))
        expect(self.page.get_by_role("heading", level=1)).to_have_text(ended)
        return self.heading() == str(self.words["held"][0])

    def wait_for_receipt(self) -> None:
        """Wait until the report was sent: where it is held, by turning the clock that the test must have installed."""
        if self.is_held():
            time_machine.turn_to_last(self.page)
        expect(self.page.get_by_role("heading", level=1)).to_have_text(self.words["sent"][0])

    def heading(self) -> str:
        """Read the heading of the screen."""
        return self.page.get_by_role("heading", level=1).inner_text()

    @property
    def onward(self) -> Locator:
        """Find the button that goes on."""
        return self.page.locator(".way button").last

    def button(self, key: str) -> Locator:
        """Find a button by its words."""
        return self.page.get_by_role("button", name=self.words[key], exact=True)

    def press(self, target: Locator) -> None:
        """Press a button."""
        target.click()

    def check(self, target: Locator) -> None:
        """Choose one of some, or tick or untick one of several."""
        target.click()

    def write(self, target: Locator, text: str) -> None:
        """Fill a field."""
        target.fill(text)


@dataclass(frozen=True)
class KeyboardWalk(Walk):
    """The same walk by somebody who has a keyboard and nothing else."""

    def press(self, target: Locator) -> None:
        """Go to the button with Tab and press it."""
        self.reach(target)
        self.page.keyboard.press("Enter")

    def check(self, target: Locator) -> None:
        """Go to the group with Tab, to one of its radio buttons with the arrows, and choose with the space bar."""
        if target.get_attribute("type") == "radio":
            self.reach(self.page.locator("input[type=radio]:focus"))
            self.reach(target, "ArrowDown")
        else:
            self.reach(target)
        # An arrow has chosen already; the space bar leaves a radio button chosen.
        self.page.keyboard.press("Space")

    def write(self, target: Locator, text: str) -> None:
        """Go to the field with Tab and type."""
        self.reach(target)
        self.page.keyboard.press("ControlOrMeta+a")
        self.page.keyboard.type(text)

    def reach(self, target: Locator, key: str = "Tab") -> None:
        """Press a key until the target has the focus."""
        for _ in range(MOST_STOPS):
            if target.count() and target.evaluate("element => element === document.activeElement"):
                return
            self.page.keyboard.press(key)
        raise AssertionError(f"{key} does not reach {target}")
