"""Waits for the processes of a training, hands signals on to them, and ends all of them when one fails."""

import math
import os
import signal
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import (
    INTERRUPTED,
    LiveRow,
    LiveRows,
    ending_signals,
    left_in,
    named_rows,
    note_hangup,
    own_stdout,
    training_continued,
)
from grpo_env_trl.launching.attached import AGAIN
from grpo_env_trl.launching.killed_command import ended_with_this_process
from grpo_env_trl.launching.meeting import Meeting
from grpo_env_trl.launching.plan import LaunchPlan
from grpo_env_trl.launching.starting import Started
from grpo_env_trl.runs.run_folder import RunFolder

_POLL = 0.05
_GRACE = 1.5
"""Seconds for processes that fail for the same reason as the first; `ranks.print_once` holds tracebacks back longer."""
_SAVING = 60.0
"""Seconds in which all have to end once one has saved and stopped, or is through."""
_HEARING = 5.0
"""Seconds in which other machines learn of a failure."""
_AT_ONCE = 0.5
"""Seconds after a second Ctrl-C; far less than `ranks.print_once` holds back the error of a broken connection."""


class ProcessDiedError(GrpoEnvError, RuntimeError):
    """A process of a training was killed, or another machine failed."""


class Watch:
    """The processes of this machine until they are over."""

    def __init__(
        self, started: Sequence[Started], plan: LaunchPlan, meeting: Meeting, again: Mapping[str, Any]
    ) -> None:
        """`again` has the flags with which a resumed training starts as many processes."""
        self._started = started
        self._plan = plan
        self._meeting = meeting
        self._again = again
        self._signals: list[int] = []
        self._handed_on = 0
        self._end = math.inf
        self._began = time.time()
        self._said = b""

    def wait(self) -> int:
        """The exit code of the training; raises where a process died."""
        leaders = [one.process.pid for one in self._started]
        try:
            with self._keeps_signals(), ended_with_this_process(leaders):
                try:
                    code = self._code()
                finally:
                    self._end_all()
        except ProcessDiedError:
            self._meeting.leave(_HEARING)
            raise
        self._meeting.leave(_SAVING if code in (0, INTERRUPTED) else _HEARING)
        return code

    def _code(self) -> int:
        while self._running() and not self._failed() and not self._is_out_of_time():
            self._hand_on()
            if why := self._meeting.failure():
                return self._code_after(why)
            time.sleep(_POLL)
        if failed := self._failed():
            return self._code_of(failed[0])
        if not self._running():
            return 0
        raise KeyboardInterrupt  # the second one

    def _code_of(self, first: Started) -> int:
        """The exit code where a process failed, was killed, or stopped as it was asked to."""
        code = first.process.returncode
        saving = code == INTERRUPTED and self._end == math.inf and self._may_have_run()
        self._wait_for_others(_SAVING if saving else 0.0 if code < 0 else _GRACE)
        if self._signals and code in (INTERRUPTED, *(-number for number in (*ending_signals(), signal.SIGKILL))):
            return INTERRUPTED
        who = f"Process {first.rank} of {self._plan.processes}"
        self._meeting.fail(who + " failed")
        if code < 0 or (code != 2 and self._rows_of(first)):
            _show(first)  # whoever ended it may have said why there
            how = f"was ended by {self._named(first)}" if code < 0 else f"ended with exit code {code}"
            raise ProcessDiedError(f"{who} {how}{self._while(first)}, and the training with it.", self._hint())
        first = self._failed()[0]  # the first process may have failed alike by now, and has printed why
        _show(first)
        if first.process.returncode != 2:
            print(f"grpo-env: {who} failed, and the training with it. {self._hint()}", file=sys.stderr, flush=True)
        return first.process.returncode

    def _code_after(self, why: str) -> int:
        """The exit code where another machine failed; raises where nobody else says so."""
        self._wait_for_others(_GRACE)
        if self._started[0].rank == 0 and self._started[0].process.returncode == 2:
            return 2  # it failed alike, and has printed why
        if self._plan.step and self._plan.machine and not self._meeting.is_lost:
            return 2  # the first machine says it, in the same place
        raise ProcessDiedError(f"The training ended on another machine: {why}.", self._hint())

    def _running(self) -> list[Started]:
        return [one for one in self._started if one.process.poll() is None]

    def _failed(self) -> list[Started]:
        """Those that did not end well: killed ones first, as others fail because of them."""
        found = [one for one in self._started if one.process.returncode or self._ended_at_work(one)]
        return sorted(found, key=lambda one: one.process.returncode >= 0)

    def _ended_at_work(self, one: Started) -> bool:
        """Whether a process ended as if all were done while environment code worked in it."""
        return one.process.returncode == 0 and bool(self._rows_of(one))

    def _rows_of(self, one: Started) -> list[LiveRow]:
        """The rows that environment code worked on in a process when it ended; not those of an earlier death."""
        self._listen()
        if (run := self.run) is None:
            return []
        with suppress(OSError):
            if LiveRows(run, one.rank).path.stat().st_mtime >= self._began:
                return left_in(run, one.rank)
        return []

    def _is_out_of_time(self) -> bool:
        return time.monotonic() > self._end

    def _wait_for_others(self, seconds: float) -> None:
        end = time.monotonic() + seconds
        while self._running() and time.monotonic() < end:
            self._hand_on()
            if self._is_out_of_time():
                raise KeyboardInterrupt
            time.sleep(_POLL)

    def _end_all(self) -> None:
        """End what is left: processes, what they started, and the files to them."""
        for one in self._started:
            if one.process.poll() is None and self.run:
                LiveRows(self.run, one.rank).path.unlink(missing_ok=True)  # its rows have ended nothing
            if one.process.poll() != 0:
                with suppress(ProcessLookupError, PermissionError):
                    os.killpg(one.process.pid, signal.SIGKILL)
            one.process.wait()
        self._listen()
        for each in self._started:
            for file in (each.line, each.out, each.told):
                if file is not None:
                    file.close()

    @contextmanager
    def _keeps_signals(self) -> Iterator[None]:
        """Ctrl-C, SIGTERM and SIGHUP end no loop here: the processes get them."""
        before = {number: signal.signal(number, self._note) for number in ending_signals()}
        try:
            yield
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)

    def _note(self, number: int, frame: object) -> None:
        note_hangup(number)
        if self._signals and number == signal.SIGINT:
            self._end = time.monotonic() + _AT_ONCE
        self._signals.append(number)

    def _hand_on(self) -> None:
        for number in self._signals[self._handed_on :]:
            again = number == signal.SIGINT and self._handed_on > 0
            self._handed_on += 1
            for one in self._running():
                if again:
                    with suppress(OSError):
                        one.line.send(AGAIN)
                else:
                    one.process.send_signal(number)

    def _listen(self) -> None:
        """Read which run the first process has named."""
        with suppress(OSError):  # nothing yet, or it ended with something unread
            while part := self._started[0].line.recv(4096, socket.MSG_DONTWAIT):
                self._said += part

    @property
    def run(self) -> Path | None:
        """The run that the first process writes; None where it had none yet, or is on another machine."""
        return Path(os.fsdecode(self._said.partition(b"\0")[0])) if self._said else None

    def _named(self, one: Started) -> str:
        """The signal that ended a process, and what is known of why."""
        name = signal.Signals(-one.process.returncode).name
        if name != "SIGKILL" or self._rows_of(one):
            return name
        return f"{name}, which is often a lack of memory where nothing above says why"

    def _while(self, one: Started) -> str:
        rows = self._rows_of(one)
        return f" while environment code worked on {named_rows(rows)}" if rows else ""

    def _may_have_run(self) -> bool:
        """Whether a run may have been begun, with something to save; on another machine it is not known here."""
        self._listen()
        return self.run is not None or self._plan.machine > 0

    def _hint(self) -> str:
        """How to continue."""
        self._listen()
        run = self.run
        if run is None:
            return "No run was written by then." if self._plan.machine == 0 else "Its first machine says more."
        step, checkpoint = RunFolder(run).newest_whole()
        what = f"Continue after step {step}" if checkpoint else "There is no checkpoint yet; begin again"
        return f"{what}: {training_continued(run, self._again)}"


def _show(one: Started) -> None:
    """Print what a process printed that is not the first: its error, or all of the end unless it was killed."""
    if one.out is None or one.told is None:
        return
    print(_end_of(one.out), end="", file=own_stdout(), flush=True)
    said = _end_of(one.told)
    error = said.rfind("grpo-env: ")
    if one.process.returncode < 0 or (error >= 0 and one.process.returncode == 2):
        said = said[error:] if error >= 0 else ""
    print(said, end="", file=sys.stderr, flush=True)


def _end_of(file: IO[bytes]) -> str:
    file.seek(0, os.SEEK_END)
    file.seek(max(0, file.tell() - 20_000))
    return file.read().decode(errors="replace")
