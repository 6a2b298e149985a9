"""Fifty bots in one process that take every question and answer none.

Arguments: a file for what it sees, then the ports. A line is `port at open`, `open` being how many questions were waiting at that
port when one more came.
"""

import selectors
import socket
import sys
import time

ports = [int(word) for word in sys.argv[2:]]
watch = selectors.DefaultSelector()
waiting = dict.fromkeys(ports, 0)
for port in ports:
    server = socket.create_server(("127.0.0.1", port), backlog=16)
    server.setblocking(False)
    watch.register(server, selectors.EVENT_READ, (port, True))
with open(sys.argv[1], "a", buffering=1) as seen:
    while True:
        for key, _ in watch.select():
            port, listens = key.data
            if listens:
                asker, _ = key.fileobj.accept()
                asker.setblocking(False)
                watch.register(asker, selectors.EVENT_READ, (port, False))
                seen.write(f"{port} {time.time():.4f} {waiting[port]}\n")
                waiting[port] += 1
                continue
            try:
                gone = key.fileobj.recv(4096) == b""
            except OSError:
                gone = True
            if gone:
                watch.unregister(key.fileobj)
                key.fileobj.close()
                waiting[port] -= 1
