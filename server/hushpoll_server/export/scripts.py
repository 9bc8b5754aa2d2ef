"""Scripts that read the exported reports and compute the dashboard's figures again, in R, Stata or a notebook.

A script holds the design of its survey and needs nothing but the CSV file of reports. The rule here: a text of the
survey stands only inside a string, escaped for its language, never in a comment or a name; so no text can become code.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property

from hushpoll_server.export.columns import Row, names_of
from hushpoll_server.export.notebook import write_notebook
from hushpoll_server.export.r_script import write_r
from hushpoll_server.export.recipes import recipe_of
from hushpoll_server.export.reports import report_columns
from hushpoll_server.export.stata_script import write_stata
from hushpoll_shared.manifest import Manifest


@dataclass(frozen=True)
class SurveyScript:
    """What a script is made of: a survey, the confidence level, and the method of limits (None for automatic)."""

    manifest: Manifest
    level: float
    method: str | None

    @cached_property
    def recipes(self) -> list[Row]:
        """Return the recipes of the questions that a script computes."""
        recipes = (recipe_of(question) for question in self.manifest.questions)
        return [recipe for recipe in recipes if recipe is not None]

    @property
    def settings(self) -> Row:
        """Return what all scripts are told, as names, numbers and short words only."""
        known = {recipe["question"] for recipe in self.recipes}
        left_out = [question.id for question in self.manifest.questions if question.id not in known]
        return {
            "survey": self.manifest.survey,
            "manifest": self.manifest.id,
            "level": self.level,
            "method": self.method or "automatic",
            "population": self.manifest.population,
            "left_out": left_out,
            "columns": list(names_of(report_columns(self.manifest))),
        }


def script(manifest: Manifest, language: str, *, level: float, method: str | None) -> bytes:
    """Return a script in one of `LANGUAGES`."""
    made = SurveyScript(manifest, level, method)
    return LANGUAGES[language](made.settings, made.recipes).encode()


LANGUAGES: Mapping[str, Callable[[Row, list[Row]], str]] = {
    "r": write_r,
    "stata": write_stata,
    "notebook": write_notebook,
}
