"""What the server's own pages say beside what everybody is told (`hushpoll_shared.words`)."""

from hushpoll_server.words.languages import ENGLISH, for_page, moment, name_of

__all__ = ["ENGLISH", "for_page", "moment", "name_of"]
