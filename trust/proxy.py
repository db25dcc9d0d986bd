#!/usr/bin/env python3
"""Comes to stand before a server's socket: proxy.py SOCKET DELAY_US [BYTES_PER_S [FROM_MS UNTIL_MS]]

It takes the socket's name, and what goes towards the server waits; with times, only while a session is that old.
"""
import os, socket, sys, threading, time

path, delay = sys.argv[1], int(sys.argv[2]) / 1e6
rate = int(sys.argv[3]) if len(sys.argv) > 3 else 0
begin, end = (int(sys.argv[4]) / 1e3, int(sys.argv[5]) / 1e3) if len(sys.argv) > 5 else (0, float("inf"))


def carry(source, target, slow, born):
    try:
        while data := source.recv(1 << 14):
            if slow and begin <= time.monotonic() - born < end:
                time.sleep(delay)
            if rate:
                time.sleep(len(data) / rate)
            target.sendall(data)
    except OSError:
        pass
    for side in (source, target):
        try:
            side.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


behind = path + ".behind"
os.rename(path, behind)
listener = socket.socket(socket.AF_UNIX)
listener.bind(path)
os.chmod(path, 0o777)
listener.listen(256)
while True:
    user, _ = listener.accept()
    server = socket.socket(socket.AF_UNIX)
    server.connect(behind)
    born = time.monotonic()
    threading.Thread(target=carry, args=(user, server, True, born), daemon=True).start()
    threading.Thread(target=carry, args=(server, user, False, born), daemon=True).start()
