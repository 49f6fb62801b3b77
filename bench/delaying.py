"""A proxy that holds up every byte for a while, as a network does."""

import asyncio
import multiprocessing
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection

CHUNK = 65_536


@contextmanager
def delayed(socket_path: str, delay_s: float) -> Iterator[int]:
    """Run the proxy before a server's socket, each way so late; gives its port."""
    ours, theirs = multiprocessing.Pipe()
    process = multiprocessing.Process(target=_serve, args=(socket_path, delay_s, theirs))
    process.start()
    try:
        yield ours.recv()
    finally:
        process.terminate()
        process.join()


def _serve(path: str, delay_s: float, ready: Connection) -> None:
    asyncio.run(_relay_all(path, delay_s, ready))


async def _relay_all(path: str, delay_s: float, ready: Connection) -> None:
    async def relay(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        there_reader, there_writer = await asyncio.open_unix_connection(path)
        await asyncio.gather(
            _hold_up(reader, there_writer, delay_s), _hold_up(there_reader, writer, delay_s)
        )

    server = await asyncio.start_server(relay, "127.0.0.1", 0)
    ready.send(server.sockets[0].getsockname()[1])
    await server.serve_forever()


async def _hold_up(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, delay_s: float
) -> None:
    loop = asyncio.get_running_loop()
    try:
        while chunk := await reader.read(CHUNK):
            loop.call_later(delay_s, writer.write, chunk)
    finally:
        loop.call_later(2 * delay_s, writer.close)
