"""Fifty bots in one process that take every question and answer none.

Arguments: a file for what it sees, then the ports. A line is `port at open`, `open` being how many questions were waiting at that
port when one more came.
"""

import select
import socket
import sys
import time
from pathlib import Path

ports = [int(word) for word in sys.argv[2:]]
watch = select.poll()
doors: dict[int, tuple[socket.socket, int]] = {}
askers: dict[int, tuple[socket.socket, int]] = {}
waiting = dict.fromkeys(ports, 0)
for port in ports:
    server = socket.create_server(("127.0.0.1", port), backlog=16)
    server.setblocking(False)
    doors[server.fileno()] = (server, port)
    watch.register(server, select.POLLIN)
with Path(sys.argv[1]).open("a", buffering=1) as seen:
    while True:
        for number, _ in watch.poll():
            if number in doors:
                server, port = doors[number]
                asker, _ = server.accept()
                asker.setblocking(False)
                askers[asker.fileno()] = (asker, port)
                watch.register(asker, select.POLLIN)
                seen.write(f"{port} {time.time():.4f} {waiting[port]}\n")
                waiting[port] += 1
                continue
            asker, port = askers[number]
            try:
                gone = asker.recv(4096) == b""
            except OSError:
                gone = True
            if gone:
                watch.unregister(asker)
                del askers[number]
                asker.close()
                waiting[port] -= 1
