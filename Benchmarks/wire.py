#!/usr/bin/env python3
"""Counts what goes over a line: forwards connections to a port of this machine as they are, and counts requests of HTTP and bytes.

wire.py PORT FOLDER: listens on a free port, which it writes to FOLDER/port; on SIGUSR1 what was counted since is written to
FOLDER/counts as JSON, and counting begins anew."""
import asyncio, json, os, re, signal, sys

upstream, folder = int(sys.argv[1]), sys.argv[2]
counts = {"requests": 0, "up": 0, "down": 0, "methods": {}}


class Requests:
    """Finds where requests begin in what a client sends."""

    def __init__(self):
        self.head, self.body = b"", 0

    def take(self, data):
        while data:
            if self.body:
                passed = min(self.body, len(data))
                data, self.body = data[passed:], self.body - passed
                continue
            self.head += data
            end = self.head.find(b"\r\n\r\n")
            if end < 0:
                return
            head, data, self.head = self.head[:end], self.head[end + 4 :], b""
            length = re.search(rb"(?im)^content-length: *(\d+)", head)
            self.body = int(length[1]) if length else 0
            counts["requests"] += 1
            method = head.split(b" ", 1)[0].decode("ascii", "replace")
            counts["methods"][method] = counts["methods"].get(method, 0) + 1


async def copy(source, target, note):
    try:
        while data := await source.read(1 << 16):
            note(data)
            target.write(data)
            await target.drain()
    except OSError:
        pass
    finally:
        target.close()


async def serve(reader, writer):
    try:
        there, to = await asyncio.open_connection("127.0.0.1", upstream)
    except OSError:
        return writer.close()
    requests = Requests()

    def up(data):
        counts["up"] += len(data)
        requests.take(data)

    def down(data):
        counts["down"] += len(data)

    await asyncio.gather(copy(reader, to, up), copy(there, writer, down))


def tell():
    with open(folder + "/counts.new", "w") as file:
        json.dump(counts, file)
    os.rename(folder + "/counts.new", folder + "/counts")
    counts.update(requests=0, up=0, down=0, methods={})


async def main():
    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    asyncio.get_running_loop().add_signal_handler(signal.SIGUSR1, tell)
    with open(folder + "/port.new", "w") as file:
        file.write(str(server.sockets[0].getsockname()[1]))
    os.rename(folder + "/port.new", folder + "/port")
    await server.serve_forever()


asyncio.run(main())
