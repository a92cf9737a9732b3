"""The program, with the package's library: `python -m yarrow`, or the script `yarrow`."""
import signal
import sys

from yarrow._library import native


def main():
    # Nothing of Python's is to be saved: Ctrl-C ends it as it ends the program.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    return native().run_program(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
