"""The programs that go on until they are stopped: `serve`, `worker`, `demo`."""

from __future__ import annotations

import logging
import os
import signal
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import NoReturn

import click
from flask import Flask
from werkzeug.serving import make_server

from engine.registry import GAMES
from pbem import worker
from pbem.app import create_app
from pbem.cli.opening import now, opened
from pbem.config import DEFAULT_BASE_URL, Config
from pbem.db import store
from pbem.errors import ConfigError
from pbem.services.operations import demo
from pbem.worker import Rhythm

LOOPBACK = "127.0.0.1"
PORT = click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))


@click.command()
@PORT
def serve(port: int) -> None:
    """Serve the pages on this machine; in production behind a web server."""
    config = _on_port(Config.from_env(), port)
    if config.in_production:
        with opened(config):
            pass  # what is wrong is told here in one line, not by each of its workers
        _become_gunicorn(port)
    with _ending_cleanly():
        click.echo(f"serving on {_local(port)} (stop with Ctrl-C)")
        app = create_app(config)
        with store.connected():  # stays open, so that `pbem restore` sees that we serve
            _serve(app, _listen(port))


@click.command("worker")
@click.pass_obj
def work(rhythm: Rhythm | None) -> None:
    """Send emails and do what is due, until stopped."""
    config = Config.from_env()
    with _ending_cleanly(), opened(config):
        click.echo("working (stop with Ctrl-C)")
        worker.run(config, rhythm)


@click.command("demo")
@PORT
def serve_demo(port: int) -> None:
    """Run pages and worker in one process, with a match already waiting."""
    config = _on_port(Config.from_env(), port)
    if config.in_production:
        raise ConfigError("the demo is for development; PBEM_ENV says production")
    with _ending_cleanly():
        listener = _listen(port)
        app = create_app(config)
        logging.getLogger("werkzeug").setLevel(logging.WARNING)
        with store.connected(), worker.in_background(config):
            for game in GAMES:
                demo.prepare(game, now())
            _greet(port)
            _serve(app, listener)


def _greet(port: int) -> None:
    site, titles = _local(port), ", ".join(game.title.en for game in GAMES.values())
    begun = f"Ann and Bob have begun a match of {titles}. Their emails:"
    click.echo(
        f"\npbem is running at {site}\n\n"
        f"  {begun}  {site}/dev/mailbox\n"
        "  Open one of the two turn emails, Bob's or Ann's, and follow a link in it.\n"
        f"  {'Start a match of your own:':<{len(begun)}}  {site}/\n\n"
        "Stop with Ctrl-C."
    )


def _local(port: int) -> str:
    return f"http://{LOOPBACK}:{port}"


def _on_port(config: Config, port: int) -> Config:
    """Links in letters lead to this port, unless the settings name an address."""
    return replace(config, base_url=_local(port)) if config.base_url == DEFAULT_BASE_URL else config


def _listen(port: int) -> socket.socket:
    try:
        return socket.create_server((LOOPBACK, port))
    except OSError as error:
        raise ConfigError(f"port {port} cannot be used: {error.strerror}; try --port") from None


def _serve(app: Flask, listener: socket.socket) -> None:
    port = listener.getsockname()[1]
    make_server(LOOPBACK, port, app, threaded=True, fd=listener.fileno()).serve_forever()
    listener.close()
    click.echo("stopped")


def _become_gunicorn(port: int) -> NoReturn:
    command = [sys.executable, "-m", "gunicorn", "--bind", f"{LOOPBACK}:{port}"]
    command += ["--workers", "2", "--threads", "4", "--no-control-socket"]
    command += ["--logger-class", "pbem.logs.for_gunicorn.JournalLogger", "pbem.app:from_env()"]
    os.execv(sys.executable, command)


@contextmanager
def _ending_cleanly() -> Iterator[None]:
    """Ctrl-C and SIGTERM end what runs inside, and the exit status is 0."""

    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    signal.signal(signal.SIGINT, stop)
    try:
        yield
    except KeyboardInterrupt:
        return
