"""In which order the checks of an environment run."""

from collections import Counter
from collections.abc import Sequence

from grpo_env_sdk.checking.check import Check, all_checks

FIRST = ("C101", "C102", "C103", "C104")
"""The preconditions of all other checks; these always run, before all others."""
EARLY = ("S201", "G501", "G502")
"""These come next, as a verdict needs the rows that they play, however little time is left for others."""


def in_sequence(checks: Sequence[Check]) -> list[str]:
    """The ids of those that look at the environment, with the preconditions, in the order in which they run."""
    wanted = [check.id for check in checks if check.of == "subject"]
    first = [*(id for id in FIRST if id in all_checks() and wanted), *(id for id in EARLY if id in wanted)]
    return [*first, *sorted((id for id in wanted if id not in first), key=lambda id: _how_late(all_checks()[id]))]


def in_turn(checks: Sequence[Check]) -> list[Check]:
    """The checks with those of all groups in turn, so that a lack of time leaves out no group."""
    places: Counter[str] = Counter()
    place: dict[str, int] = {}
    for check in checks:
        first = check.id in EARLY or check.group == "contract"
        places[check.group] += not first
        place[check.id] = 0 if first else places[check.group]
    return sorted(checks, key=lambda check: (max(1, _how_late(check)), place[check.id]))


def _how_late(check: Check) -> int:
    """Plugins come late, as what hangs or changes the process there then costs no other check.

    Checks with seconds of their own are last: who has enough of these stops them with Ctrl-C.
    """
    return 3 if check.seconds else 2 if check.plugin else 1 if check.ahead else 0
