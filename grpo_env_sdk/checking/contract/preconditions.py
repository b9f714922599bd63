"""The preconditions of all other checks: it can be created, it has rows, its scorer fits them."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.playing.failures import failure_by
from grpo_env_sdk.checking.evidence.processes.probes import start_probes
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.envs.ignored import never_called
from grpo_env_sdk.errors import DeadlineError, GrpoEnvError, ToolSchemaError, UnknownNameError
from grpo_env_sdk.types import Fault


@check("C101", needs=())
def it_can_be_created(subject: Subject) -> Iterator[Finding]:
    """The environment can be created: the constructor works, and the class does not contradict itself."""
    error = _fault(subject, "loaded")
    if error and not isinstance(error, ToolSchemaError):
        yield _finding(error)
    elif not error:
        for what, hint in never_called(subject.loaded.env):
            yield Finding(what, hint, severity="warning")


@check("C102", needs=())
def it_has_rows(subject: Subject) -> Iterator[Finding]:
    """`build_dataset` returns at least one row, each with a prompt."""
    if _fault(subject, "loaded"):
        return
    error = _fault(subject, "rows")
    if error and not isinstance(error, UnknownNameError):
        yield _finding(error)
    elif not error:
        start_probes(subject)  # they run while other checks do


@check("C103", needs=())
def scorers_find_their_columns(subject: Subject) -> Iterator[Finding]:
    """The rows have every column that a scorer needs."""
    error = None if _fault(subject, "loaded") else _fault(subject, "rows")
    if isinstance(error, UnknownNameError):
        yield _finding(error)


@check("C104", needs=())
def tools_are_well_formed(subject: Subject) -> Iterator[Finding]:
    """The schemas of its tools are valid, those of every row that has its own."""
    error = _fault(subject, "loaded")
    if isinstance(error, ToolSchemaError):
        yield from (Finding(fault, error.hint) for fault in error.faults or (str(error),))
    elif error is None and subject.traits.tools_of_rows and _fault(subject, "rows") is None:
        for row in subject.in_time(subject.chosen):
            if isinstance(found := subject.opened_tools(row), Fault):
                raise failure_by(found, row)


def _fault(subject: Subject, what: str) -> GrpoEnvError | None:
    try:
        getattr(subject, what)
    except GrpoEnvError as exc:
        return exc
    return None


def _finding(error: GrpoEnvError) -> Finding:
    slow = "If it is only slow, raise --timeout." if isinstance(error, DeadlineError) else ""
    return Finding(error.message, error.hint or slow)
