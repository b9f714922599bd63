"""The files that an environment left open in this process, and when they are too many to continue."""

import errno
import os
from collections.abc import Iterator
from functools import partial

from grpo_env_sdk.checking.evidence.playing.failures import FailedHereError
from grpo_env_sdk.checking.evidence.playing.threads import blamed_on
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided
from grpo_env_sdk.isolation.process_state.open_files import OpenFiles, most_files

CROWDED = 0.5
"""With that part of all files left open, the checks that remain are for another process."""
FULL = 0.75
"""And with this part no episode begins: the SDK needs files too."""
HINT = "Close it in close(), or open it in a with block."
CAUSE = "files left open"
_NO_MORE = os.strerror(errno.EMFILE)


def are_crowded(files: OpenFiles | None, part: float = CROWDED) -> bool:
    """Whether that part of the files that the first episode found free was left open."""
    return files is not None and files.use_up(part)


are_full = partial(are_crowded, part=FULL)


def no_more_files() -> FailedHereError:
    """The failure of a check where files are `FULL`."""
    return FailedHereError(f"An episode would raise OSError: {_NO_MORE}.", HINT, CAUSE)


def with_leaked_files(files: OpenFiles | None, item: Item) -> Iterator[Item]:
    """An item of a check; if no file could be opened, a finding about those left open comes first."""
    text = str(item.as_json()) if isinstance(item, Finding | Undecided) else ""
    if files and ("OSError" in text or _NO_MORE in text) and are_crowded(files):  # some name only the type of the error
        leak = Finding(
            f"Episodes left {files.left} files open, of {most_files()} that a process may have open.", HINT,
            output=files.left, expected="as many as before", severity="error", check="K701", cause=CAUSE,
        )  # fmt: skip
        yield from blamed_on(leak, item)
    else:
        yield item
