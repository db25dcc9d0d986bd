"""Somebody between users and server: proxy.py LISTEN SERVER DELAY-FILE. What goes towards the server waits as many
microseconds as the file says when a session begins to wait for it, none where it is not there."""
import os, socket, sys, threading, time

listen, server, delays = sys.argv[1:]


def carry(source, to, is_slow):
    while True:
        data = source.recv(1 << 14)
        if not data:
            break
        if is_slow and os.path.exists(delays):
            time.sleep(int(open(delays).read() or 0) / 1e6)
        to.sendall(data)
    for end in (source, to):
        try:
            end.shutdown(socket.SHUT_RDWR)
        except OSError:
            pass


door = socket.socket(socket.AF_UNIX)
door.bind(listen)
door.listen()
while True:
    user, _ = door.accept()
    there = socket.socket(socket.AF_UNIX)
    there.connect(server)
    for ends in ((user, there, True), (there, user, False)):
        threading.Thread(target=carry, args=ends, daemon=True).start()
