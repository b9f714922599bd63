"""Whether the same rows are built each time and in each process, and an instance can be sent to another process."""

import pickle
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.env_under_test import BUILDING
from grpo_env_sdk.checking.evidence.other_surroundings import KINDS, RANKED, SPOKEN, ZONED
from grpo_env_sdk.checking.evidence.probes import Probe, start_probes
from grpo_env_sdk.checking.evidence.python_child import IMPORTABLE
from grpo_env_sdk.checking.evidence.row_contents import contents, first_difference, same_table
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.data.rows import Rows, build_rows
from grpo_env_sdk.isolation.random_state import preserved_random_state, seed_all
from grpo_env_sdk.isolation.tracebacks import defined_at, describe_error

SEEDED = "Build rows from the constructor's arguments alone: use random.Random(seed), no clock, counter or uuid."
SORTED = "Sort what comes from a set or a folder, and draw with a seed."
PLACELESS = "Build rows from the constructor's arguments alone: no clock, no local time (use UTC), no locale, no RANK."
Difference = tuple[int, str, str]


@check("C120", needs=("rows",))
def building_twice_gives_the_same(subject: Subject) -> Iterator[Finding]:
    """`build_dataset` returns the same rows each time, whatever the global random state."""
    difference = subject.once(("contract", "twice"), lambda: _difference_here(subject))
    if difference:
        place, one, other = difference
        message = f"Building the rows twice in one process gives different rows, first at row {place}"
        place_of_code = defined_at(subject.loaded.env.build_dataset)
        yield Finding(f"{message} ({place_of_code}).", SEEDED, place, output=other, expected=one)


@check("C121", needs=("rows",), share=3)
def other_processes_build_the_same(subject: Subject) -> Iterator[Finding | Undecided]:
    """Another process, with another PYTHONHASHSEED, time zone, rank and date, builds the same rows."""
    probes = start_probes(subject)
    if subject.once(("contract", "twice"), lambda: _difference_here(subject)):
        return  # C120 reports it
    here = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    for probe in probes:
        subject.note_stage(BUILDING)
        rows = probe.seen().get("rows")
        if rows is None:  # perhaps as extension modules do not load under another clock
            rows = Probe(subject, probe.hash_seed, (ZONED, RANKED, SPOKEN)).seen().get("rows")
        if rows is None:
            yield Undecided(
                "Another process could not build the rows.",
                IMPORTABLE,
            )
            return
        difference = first_difference(here, rows)
        if difference:
            place, one, other = difference
            cause, hint = _cause(subject, here, probe.hash_seed)
            message = f"Another process ({cause}) builds different rows, first at row {place}"
            place_of_code = defined_at(subject.loaded.env.build_dataset)
            yield Finding(f"{message} ({place_of_code}).", hint, place, output=other, expected=one)
            return


def _cause(subject: Subject, here: Any, hash_seed: int) -> tuple[str, str]:
    """What makes the rows differ in another process, found with one thing changed at a time; and what to do."""
    single = {kind: Probe(subject, 0, (kind,)) for kind in KINDS}
    seen = {kind: probe.seen().get("rows") for kind, probe in single.items()}
    mattering = [kind for kind, rows in seen.items() if rows is not None and first_difference(here, rows)]
    return (f"with {' or '.join(mattering)}", PLACELESS) if mattering else (f"PYTHONHASHSEED={hash_seed}", SORTED)


@check("C123", needs=("rows",), severity="info")
def it_can_be_pickled(subject: Subject) -> Iterator[Finding]:
    """An instance can be pickled to send it to another process, and copied if it runs tools."""
    loaded = subject.loaded
    if loaded.traits.kind == "tools" and loaded.traits.instances == "shared":
        message = "An instance cannot be copied, so episodes with tools run one at a time."
        yield Finding(message, "Open connections, locks and files only when they are used.", severity="warning")
    try:
        pickle.dumps(loaded.env)
    except Exception as exc:
        message = f"An instance cannot be pickled: {describe_error(exc)}."
        yield Finding(message, "Open connections, locks and files only when they are used, and keep no lambda in self.")


def _difference_here(subject: Subject) -> Difference | None:
    """How the rows of a second instance, built twice with another global seed, differ from the first rows."""
    with preserved_random_state():
        seed_all(subject.settings.seed + 1)
        again = subject.another()
        subject.note_stage(BUILDING)
        once = _difference(subject, again.rows("all"))
        return once or _difference(subject, again.isolated(build_rows)(again.env, again.tokenizer))


def _difference(subject: Subject, rows: Rows) -> Difference | None:
    if same_table(subject.rows, rows):
        return None
    first = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    return first_difference(first, contents(rows))
