"""Every sentence that a respondent reads, filled with numbers, in every language of Hushpoll."""

from hushpoll_shared.words.languages import Words, interface, known
from hushpoll_shared.words.told import Told, tell

__all__ = ["Told", "Words", "interface", "known", "tell"]
