"""The blueprints of the pages that compare, cross and regress."""

from __future__ import annotations

from hushpoll_server.dashboard.compare import blueprint as compare
from hushpoll_server.dashboard.cross import blueprint as cross
from hushpoll_server.dashboard.regression import blueprint as regression

BLUEPRINTS = (compare, cross, regression)
