"""What a server of forked commands answers is read one number at a time."""

import socket
from contextlib import closing

from tests.forked_commands import Answers


def test_a_command_that_ends_before_its_process_id_is_read_is_known_to_have_ended():
    ours, theirs = socket.socketpair()
    with ours, theirs, closing(Answers(ours)) as answers:
        theirs.sendall(b"1234\n0\n")
        assert (answers.next(), answers.next(0), answers.next(0)) == (1234, 0, None)
