"""A fork server belongs to the process that started it."""

import os
import sys

import pytest

from grpo_env_sdk.isolation.processes.fork_server import ForkServer

READY = """
import socket, sys
with socket.socket(fileno=int(sys.argv[-1])) as control:
    control.recv(65536)
    control.sendall(b'{"ready": true}\\n')
    control.recv(1)
"""


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")
def test_a_fork_that_kills_its_own_server_leaves_that_of_its_parent_alone():
    server = ForkServer("unused", {"whose": "test"}, prefix=[sys.executable, "-c", READY])
    server.start(None)
    if (child := os.fork()) == 0:
        try:
            server.start(None)
            server.kill()
            os._exit(0)
        finally:
            os._exit(1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    process = server._process
    server.close()
    assert process.returncode == 0
