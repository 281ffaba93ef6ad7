"""Tests reach this machine and nothing beyond it."""

import socket

import pytest
from pytest_socket import SocketConnectBlockedError


def test_loopback_is_allowed() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname(), timeout=5).close()


@pytest.mark.filterwarnings("ignore:A test tried to use socket")
def test_any_other_host_is_not() -> None:
    with socket.socket() as outside, pytest.raises(SocketConnectBlockedError):
        outside.connect(("192.0.2.1", 9))
