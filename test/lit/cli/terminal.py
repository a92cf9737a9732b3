"""Runs a program on a terminal of a width and says how wide its lines are.

    terminal.py 60 yarrow explain
"""
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios

columns, command = int(sys.argv[1]), sys.argv[2:]
leader, terminal = pty.openpty()
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=terminal, stderr=terminal)
os.close(terminal)
output = b""
while True:
    try:
        data = os.read(leader, 65536)
    except OSError:  # the other end is closed
        break
    if not data:
        break
    output += data
if child.wait():
    sys.exit(output.decode())
print("longest line:", max(map(len, output.decode().splitlines())))
