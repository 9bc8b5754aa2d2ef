"""A page in any engine: what a respondent does and sees, in the words of the tests."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from tests.browser.form import AT_REST, Given
from tests.engines.driver import ELEMENT, Driver, wait_for

BUTTON = "//button[contains(normalize-space(), '{}')]"
LINK = "//a[normalize-space() = '{}']"
FOLD = "//summary[normalize-space() = '{}']"
CHOICE = "//label[normalize-space() = '{}'][.//input[@name = 'choice']]"
PLACE = "return document.querySelector('progress')?.getAttribute('value') ?? null"


class Page:
    """The one window of a driver."""

    def __init__(self, driver: Driver) -> None:
        self.driver = driver

    def open(self, address: str) -> None:
        """Open an address as if it were written into the address bar."""
        self.driver.call("Navigate", url=address)
        self.driver.listen()

    def back(self) -> None:
        """Press the browser's own Back."""
        self.driver.call("Back")

    def forward(self) -> None:
        """Press the browser's own Forward."""
        self.driver.call("Forward")

    def reload(self) -> bool:
        """Reload the page and confirm it; return whether the browser had to ask."""
        return self.driver.leave("location.reload()")

    def leave(self, address: str) -> bool:
        """Follow a link and confirm it; return whether the browser had to ask."""
        return self.driver.leave(f"location.href = {json.dumps(address)}")

    def press(self, name: str) -> None:
        """Press a button of the page."""
        self._click(BUTTON.format(name))

    def unfold(self, words: str) -> None:
        """Show details."""
        self._click(FOLD.format(words))

    def go_on(self) -> None:
        """Press the button that leads to the next screen."""
        self._click("(//*[contains(@class, 'way')]//button)[last()]")

    def give(self, choice: Given) -> None:
        """Answer the question on the screen: choose, tick, write, or search and choose."""
        if isinstance(choice, list):
            for box in choice:
                self.choose(box)
        elif isinstance(choice, tuple):
            self._write(choice[0])
            self.choose(choice[1])
        elif isinstance(choice, str):
            self.choose(choice)
        else:
            self._write(f"{choice:n}")

    def choose(self, name: str) -> None:
        """Choose or tick an answer."""
        self._click(_choice(name))
        wait_for(lambda: self.is_chosen(name), f"{name!r} is chosen")

    def answer(self, *choices: Given) -> None:
        """Go from the first screen to the review."""
        self.press("begin")
        for place, choice in enumerate(choices, 1):
            self.expect_place(place)
            self.give(choice)
            self.go_on()
        self.expect_heading("Check your answers")

    def send(self) -> None:
        """Press Send and wait until the report has arrived."""
        self.press("Send")
        self.expect_heading("Sent. Thank you.")

    def is_chosen(self, name: str) -> bool:
        """Return whether a choice on the screen is ticked."""
        [box] = self._find(f"{_choice(name)}//input")
        return bool(self.driver.call("IsElementSelected", id=box))

    def text(self, path: str = "//main") -> str:
        """Return the visible text of the first element at a path."""
        return wait_for(lambda: self._text(path), f"text at {path}")

    def texts(self, path: str) -> list[str]:
        """Return the visible texts of all elements at a path."""
        return [str(self.driver.call("GetElementText", id=element)) for element in self._find(path)]

    def target(self, link: str) -> str:
        """Return where a link leads to."""
        [element] = self._visible(LINK.format(link))
        return str(self.driver.call("GetElementAttribute", id=element, name="href"))

    def at_rest(self) -> dict[str, Any]:
        """Return everything that the page has left on the device, as far as a script can see it."""
        return dict(self.driver.evaluate(f"return ({AT_REST})()"))

    def expect_heading(self, words: str) -> None:
        """Wait for the screen with this heading."""
        wait_for(lambda: self._text("//h1") == words, f"the heading {words!r}")

    def expect_text(self, words: str) -> None:
        """Wait until the page says this."""
        wait_for(lambda: words in self._text("//main"), f"the text {words!r}")

    def expect_place(self, place: int) -> None:
        """Wait for the screen with this question, counted from 1."""
        wait_for(lambda: self.driver.evaluate(PLACE) == str(place), f"question {place}")

    def _text(self, path: str) -> str:
        return "\n".join(self.texts(path)[:1])

    def _write(self, text: str) -> None:
        [box] = self._visible("//main//input[@type = 'text']")
        self.driver.call("ElementClear", id=box)
        # WebKitGTK's driver refuses to type nothing.
        if text:
            self.driver.call("ElementSendKeys", id=box, text=text)

    def _click(self, path: str) -> None:
        def attempt() -> bool:
            elements = self._visible(path)[:1]
            for element in elements:
                self.driver.call("ElementClick", id=element)
            return bool(elements)

        wait_for(attempt, path)

    def _visible(self, path: str) -> list[str]:
        return [one for one in self._find(path) if self.driver.call("IsElementDisplayed", id=one)]

    def _find(self, path: str) -> list[str]:
        return [one[ELEMENT] for one in self.driver.call("FindElements", using="xpath", value=path)]


def _choice(name: str) -> str:
    """Return the path of a choice; the dash between a point and its words is the style sheet's."""
    return CHOICE.format(name.replace(" – ", ""))


# Start another browser, which knows nothing of the others.
Start = Callable[[], Page]
