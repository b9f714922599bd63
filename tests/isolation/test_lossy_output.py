"""Output whose reader has gone, and output that a full disk refuses."""

import io
import os

import pytest

from grpo_env_sdk.isolation.processes.lossy_output import lose_what_nobody_reads


def test_what_nobody_reads_is_lost():
    reader, writer = os.pipe()
    stream = lose_what_nobody_reads(writer, io.TextIOWrapper(io.BytesIO(), "utf-8"))
    stream.write("read\n")
    stream.flush()
    assert os.read(reader, 100) == b"read\n"
    os.close(reader)
    stream.write("lost\n" * 100_000)
    stream.flush()
    os.close(writer)


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="there is no /dev/full here")
def test_a_full_disk_stays_an_error():
    full = os.open("/dev/full", os.O_WRONLY)
    stream = lose_what_nobody_reads(full, io.TextIOWrapper(io.BytesIO(), "utf-8"))
    stream.write("text")
    with pytest.raises(OSError, match="No space left"):
        stream.flush()
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, full)  # takes what the stream still holds
    stream.flush()
    os.close(full)
    os.close(null)


def test_a_stream_is_buffered_as_the_one_that_it_is_like():
    unbuffered = io.TextIOWrapper(io.BytesIO(), "utf-8", write_through=True)
    reader, writer = os.pipe()
    assert lose_what_nobody_reads(writer, unbuffered).line_buffering
    assert not lose_what_nobody_reads(writer, io.TextIOWrapper(io.BytesIO(), "utf-8")).line_buffering
    os.close(reader)
    os.close(writer)
