"""The blueprints of the pages that compare, cross and regress, and of those that hand files over."""

from __future__ import annotations

from hushpoll_server.dashboard.card_files import blueprint as card_files
from hushpoll_server.dashboard.compare import blueprint as compare
from hushpoll_server.dashboard.cross import blueprint as cross
from hushpoll_server.dashboard.downloads import blueprint as downloads
from hushpoll_server.dashboard.explored_files import blueprint as explored_files
from hushpoll_server.dashboard.regression import blueprint as regression

BLUEPRINTS = (card_files, compare, cross, downloads, explored_files, regression)
