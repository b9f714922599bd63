"""What Ray's libraries write to stderr while a process connects to a cluster, once a line for each try."""

import os
import re
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

_OF_RAY = re.compile(rb"\[\d{4}-\d\d-\d\d [\d:,]+ [A-Z] ")
"""How a line of Ray's C++ code begins: `[2026-11-22 11:50:55,080 W 28775 29489] gcs_client.cc:210: Failed ...`."""


@contextmanager
def held_back(found: list[str]) -> Iterator[None]:
    """Put the lines of Ray's C++ code into a list; what else is written to descriptor 2 is written afterwards."""
    try:
        terminal = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with tempfile.TemporaryFile() as kept:
        try:
            sys.stderr.flush()
            os.dup2(kept.fileno(), 2)
            yield
        finally:
            sys.stderr.flush()
            os.dup2(terminal, 2)
            os.close(terminal)
            kept.seek(0)
            for line in kept:
                if _OF_RAY.match(line):
                    found.append(line.decode(errors="replace"))
                else:
                    os.write(2, line)
