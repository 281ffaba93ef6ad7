"""The `pbem` command."""

import subprocess
import sys
from dataclasses import replace

import click
from werkzeug.serving import run_simple

from pbem.app import create_app
from pbem.config import DEFAULT_BASE_URL, Config
from pbem.errors import PbemError

LOOPBACK = "127.0.0.1"


@click.group()
@click.version_option(package_name="pbem")
def pbem() -> None:
    """Board games by mail."""


@pbem.command()
@click.option("--port", default=8000, show_default=True, type=click.IntRange(1, 65535))
def serve(port: int) -> None:
    """Serve the pages on this machine."""
    config = Config.from_env()
    if config.base_url == DEFAULT_BASE_URL:
        config = replace(config, base_url=f"http://{LOOPBACK}:{port}")
    click.echo(f"serving on http://{LOOPBACK}:{port} (stop with Ctrl-C)")
    run_simple(LOOPBACK, port, create_app(config), threaded=True)


@pbem.command(context_settings={"ignore_unknown_options": True})
@click.argument("options", nargs=-1, type=click.UNPROCESSED)
def demo(options: tuple[str, ...]) -> None:
    """Play Iron Curtain in this terminal; OPTIONS are handed to the game."""
    click.echo("The server that plays by mail comes next. Until then: a game in this terminal.")
    click.echo("(The rules as a web page: pbem serve)\n")
    command = [sys.executable, "-m", "engine", "play", "iron_curtain", *options]
    sys.exit(subprocess.run(command, check=False).returncode)


def main() -> None:
    """Run the command; a refusal is one line and exit status 2."""
    try:
        pbem()
    except PbemError as refusal:
        print(f"pbem: {refusal}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
