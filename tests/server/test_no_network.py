"""Tests cannot reach the network by accident."""

from __future__ import annotations

import socket

import pytest
from pytest_socket import SocketBlockedError


def test_a_test_that_does_not_ask_for_it_has_no_sockets() -> None:
    # Warnings are errors here, and pytest-socket warns before it refuses.
    with pytest.raises((SocketBlockedError, UserWarning)):
        socket.socket(socket.AF_INET)
