"""Hosts of their own on one machine: network namespaces behind a switch, which can be cut off.

with Network() as network:
    host = network.add("web1")
    subprocess.Popen([*host.inside, "python", ...])  # reaches the others at their addresses
    with host.cut_off():
        ...

This process stands at the switch too, at `network.own`. Addresses are from the range that is kept
for measuring networks (198.18.0.0/15): nobody has them, and nothing leaves the machine.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType

IP = shutil.which("ip") or shutil.which("ip", path="/usr/sbin:/sbin")


def why_not() -> str | None:
    """Why this machine cannot have such hosts, in words, or None when it can."""
    if IP is None:
        return "no ip (iproute2) on this machine"
    if os.getuid() != 0:
        return "only root can make network namespaces"
    trial = f"pbem-{os.getpid()}-trial"
    if subprocess.run([IP, "netns", "add", trial], capture_output=True).returncode:
        return "this machine lets nobody make network namespaces"
    _ip("netns", "del", trial)
    return None


def _ip(*words: str) -> None:
    assert IP is not None
    done = subprocess.run([IP, *words], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"ip {' '.join(words)}: {done.stderr.strip()}")


class Host:
    """A network namespace with one address, at a port of the switch."""

    def __init__(self, network: Network, name: str, number: int) -> None:
        self.name, self.address = name, f"{network.net}.{number}"
        self._space, self._port = f"{network.name}-{name}", f"port{number}"
        self._switch = network.switch
        self.cuts: list[tuple[float, float]] = []
        """From when to when it was cut off."""
        _ip("netns", "add", self._space)
        link = ["link", "add", self._port, "type", "veth", "peer", "name", "eth0"]
        _ip("-n", self._switch, *link, "netns", self._space)
        _ip("-n", self._switch, "link", "set", self._port, "master", "switch", "up")
        _ip("-n", self._space, "address", "add", f"{self.address}/24", "dev", "eth0")
        for device in ("lo", "eth0"):
            _ip("-n", self._space, "link", "set", device, "up")

    @property
    def inside(self) -> list[str]:
        """How a command begins that runs on this host."""
        assert IP is not None
        return [IP, "netns", "exec", self._space]

    @contextmanager
    def cut_off(self) -> Iterator[None]:
        """While this lasts, nothing that is sent to this host or by it arrives."""
        begun = time.monotonic()
        _ip("-n", self._switch, "link", "set", self._port, "down")
        try:
            yield
        finally:
            _ip("-n", self._switch, "link", "set", self._port, "up")
            self.cuts.append((begun, time.monotonic()))

    def remove(self) -> None:
        _ip("netns", "del", self._space)


class Network:
    """A switch and its hosts; leaving the `with` block removes them all."""

    def __enter__(self) -> Network:
        reason = why_not()
        if reason:
            raise RuntimeError(reason)
        self.name, self.net = f"pbem-{os.getpid()}", f"198.18.{os.getpid() % 250 + 1}"
        self.switch, self._device = f"{self.name}-switch", f"pbem{os.getpid() % 10**7}"
        self.own, self.hosts = f"{self.net}.1", list[Host]()
        _ip("netns", "add", self.switch)
        try:
            _ip("-n", self.switch, "link", "add", "switch", "type", "bridge")
            _ip("-n", self.switch, "link", "set", "switch", "up")
            _ip("link", "add", self._device, "type", "veth", "peer", "name", "own")
            _ip("link", "set", "own", "netns", self.switch)
            _ip("-n", self.switch, "link", "set", "own", "master", "switch", "up")
            _ip("address", "add", f"{self.own}/24", "dev", self._device)
            _ip("link", "set", self._device, "up")
        except BaseException:
            self._remove()
            raise
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._remove()

    def add(self, name: str) -> Host:
        host = Host(self, name, 10 + len(self.hosts))
        self.hosts.append(host)
        return host

    def _remove(self) -> None:
        for host in self.hosts:
            host.remove()
        _ip("netns", "del", self.switch)  # the pairs of its ports go with it
