"""The threads that an environment left in this process, and when they are too many to continue."""

import threading
from collections.abc import Iterator

from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.checking.findings.report import stopped_by

CROWDED = 100
"""More threads than this are not a pool, and soon no episode can start one."""
FULL = 250
"""With so many left no episode begins: a thread that starts when the memory ends may wait for ever."""
HINT = "End it in close(), or share one pool."
CAUSE = "threads left behind"
_OURS = "grpo-env"
_NO_MORE = "can't start new thread"


def foreign_threads() -> list[str]:
    """The names of the threads that are not the SDK's."""
    return [thread.name for thread in threading.enumerate() if not thread.name.startswith(_OURS)]


def is_full() -> bool:
    """Whether so many threads were left that no episode should begin."""
    return threading.active_count() > FULL and len(foreign_threads()) > FULL


def no_more_threads() -> FailedHereError:
    """The failure of a check where `is_full`."""
    return FailedHereError(f"An episode would raise RuntimeError: {_NO_MORE}.", HINT, CAUSE)


def with_leaked_threads(item: Item) -> Iterator[Item]:
    """An item of a check; if no thread could be started, a finding about the leaked threads comes first."""
    names = foreign_threads()
    if isinstance(item, Finding | Undecided) and _blames_threads(str(item.as_json()), len(names)):
        leak = Finding(
            f"Episodes left {len(names)} threads behind, such as {names[-1]}, until no more could be started.", HINT,
            output=len(names), expected="as many as before", severity="error", check="K701", cause=CAUSE,
        )  # fmt: skip
        yield from blamed_on(leak, item)
    else:
        yield item


def blamed_on(leak: Finding, item: Item) -> Iterator[Item]:
    """A finding of what was left behind, and what its check could therefore not find out."""
    yield leak
    yield stopped_by(leak.check, *(item.checks if isinstance(item, Undecided) else (item.check,)))


def _blames_threads(text: str, threads: int) -> bool:
    """Whether an item says that no thread could be started; some name only the type of the error."""
    return _NO_MORE in text or (threads > CROWDED and "RuntimeError" in text)
