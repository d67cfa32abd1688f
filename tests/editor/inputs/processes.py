"""The processes of a server (compiler/editor/Supervisor.h)."""

import os
import signal


def workers(client):
    """Numbers of the processes that answer: one, but while it is started anew."""
    path, children = f"/proc/{client.process.pid}/task", []
    for task in os.listdir(path):
        try:
            children += map(int, open(f"{path}/{task}/children").read().split())
        except (FileNotFoundError, ProcessLookupError): # a thread that has ended, before or after the file was opened
            pass
    return children


def kill(workers):
    """Ends them; one may have ended by itself."""
    for worker in workers:
        try:
            os.kill(worker, signal.SIGKILL)
        except ProcessLookupError:
            pass
