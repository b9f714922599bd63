"""A signal that comes while a line is being printed."""

import io
import signal
import sys

from grpo_env_trl.training.stopping import StopOnInterrupt


class InterruptedFile(io.FileIO):
    """A file in which Ctrl-C comes as the first line is written."""

    is_first = True

    def write(self, data, /):
        if self.is_first:
            self.is_first = False
            signal.raise_signal(signal.SIGINT)
        return super().write(data)


def test_ctrl_c_amid_a_line_asks_to_stop_and_both_lines_are_printed(tmp_path, monkeypatch):
    path = tmp_path / "stderr"
    stream = io.TextIOWrapper(io.BufferedWriter(InterruptedFile(path, "w")), line_buffering=True)
    monkeypatch.setattr(sys, "stderr", stream)
    with StopOnInterrupt() as stopping:
        print("step 3/40", file=sys.stderr)
    stream.close()
    told, line = path.read_text().splitlines()
    assert stopping.asked
    assert told.startswith("Finishing this step and saving a checkpoint")
    assert line == "step 3/40"
