"""Every sentence that a respondent reads, filled with numbers, in every language of Hushpoll."""

from hushpoll_server.words.languages import ENGLISH, LABEL_PAGE, Words, for_page, interface, known

__all__ = ["ENGLISH", "LABEL_PAGE", "Words", "for_page", "interface", "known"]
