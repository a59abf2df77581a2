"""Runs a program that dies when the process that started it dies, however that happens.

    python leash.py PARENT_PID PROGRAM [ARGUMENT...]

A killed test run gets no chance to tidy up; without this its etcd and API server would live on and
take the cores from the next run. It is a program of its own because the code between fork and exec
of a process with threads may not call Python. The kernel watches the *thread* that started the
child: start what shall live long from the main thread.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main() -> None:
    """Ask the kernel for the signal, then become the program."""
    parent, program, *arguments = sys.argv[1:]
    ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, int(signal.SIGKILL), 0, 0, 0)
    if os.getppid() != int(parent):  # it died before the kernel was asked
        sys.exit(1)
    os.execv(program, [program, *arguments])


if __name__ == "__main__":
    main()
