"""The mail server of a host, as far as pbem sees it: what is said to it is said to another one.

`python -m tests.hosts.mail_relay PORT HOST PORT` listens on loopback. It takes no responsibility:
when the way is cut, so is the conversation, wherever it was.
"""

from __future__ import annotations

import asyncio
import sys
from asyncio import StreamReader, StreamWriter
from contextlib import suppress

PATIENCE = 5.0
"""Seconds to reach the other one."""


async def relay(port: int, host: str, to: int) -> None:
    async def talk(reader: StreamReader, writer: StreamWriter) -> None:
        with suppress(OSError, TimeoutError):
            theirs, ours = await asyncio.wait_for(asyncio.open_connection(host, to), PATIENCE)
            await asyncio.wait(
                [_passing_on(reader, ours), _passing_on(theirs, writer)],
                return_when=asyncio.FIRST_COMPLETED,
            )
            ours.close()
        writer.close()

    server = await asyncio.start_server(talk, "127.0.0.1", port)
    async with server:
        await server.serve_forever()


def _passing_on(reader: StreamReader, writer: StreamWriter) -> asyncio.Task[None]:
    return asyncio.create_task(_pass_on(reader, writer))


async def _pass_on(reader: StreamReader, writer: StreamWriter) -> None:
    with suppress(OSError):
        while data := await reader.read(65_536):
            writer.write(data)
            await writer.drain()


if __name__ == "__main__":
    asyncio.run(relay(int(sys.argv[1]), sys.argv[2], int(sys.argv[3])))
