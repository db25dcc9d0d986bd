#!/usr/bin/env python3
"""Logs in without end for so many seconds and leaves before it says who it is: storm.py SOCKET SECONDS"""
import socket, sys, time

path, until = sys.argv[1], time.monotonic() + float(sys.argv[2])
while time.monotonic() < until:
    one = socket.socket(socket.AF_UNIX)
    one.connect(path)
    one.recv(256)
    one.close()
