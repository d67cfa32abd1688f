"""The processes of a server (compiler/editor/Supervisor.h)."""

import os


def workers(client):
    """Numbers of the processes that answer: one, but while it is started anew."""
    path, children = f"/proc/{client.process.pid}/task", []
    for task in os.listdir(path):
        try:
            children += map(int, open(f"{path}/{task}/children").read().split())
        except FileNotFoundError: # a thread that has ended
            pass
    return children
