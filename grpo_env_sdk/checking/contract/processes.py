"""Whether the same rows are built each time and in each process, and an instance can be sent to another process."""

import os
import pickle
from collections.abc import Iterator
from typing import Any

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.fresh_instances import TWICE, fresh_instance, splits_of
from grpo_env_sdk.checking.evidence.playing.env_under_test import BUILDING
from grpo_env_sdk.checking.evidence.processes.asked_files import versions_of
from grpo_env_sdk.checking.evidence.processes.other_surroundings import CLOCK, HOUSED, KINDS, NOT_LATER, ZONED
from grpo_env_sdk.checking.evidence.processes.probes import Probe, start_probes
from grpo_env_sdk.checking.evidence.processes.python_child import IMPORTABLE
from grpo_env_sdk.checking.evidence.processes.row_contents import contents, first_difference, same_table
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.data.rows import Rows, Split, build_rows
from grpo_env_sdk.isolation.calls.tracebacks import defined_at, describe_error
from grpo_env_sdk.isolation.process_state.random_state import preserved_random_state
from grpo_env_sdk.plain_text import joined

SEEDED = "Build rows from the constructor's arguments alone: use random.Random(seed), no clock, counter or uuid."
SORTED = "Sort what comes from a set or a folder, and draw with a seed."
PLACELESS = "Build rows from the constructor's arguments alone: no clock, local time, locale, RANK or HOME."
BESIDE = "Read files beside the module (Path(__file__).parent, or importlib.resources), or take a path as an argument."
_ELSEWHERE, _MOMENT = "another working directory", "another moment (the clock, or what is drawn without a seed)"
Difference = tuple[int, str, str]


@check("C120", needs=("rows",))
def building_twice_gives_the_same(subject: Subject) -> Iterator[Finding]:
    """`build_dataset` returns the same rows each time, whatever the global random state."""
    difference = subject.once(TWICE, lambda: _difference_here(subject))
    if difference:
        place, one, other = difference
        message = f"Building the rows twice in one process gives different rows, first at row {place}"
        place_of_code = defined_at(subject.loaded.env.build_dataset)
        yield Finding(f"{message} ({place_of_code}).", SEEDED, place, output=other, expected=one)


@check("C121", needs=("rows",), share=3, ahead=start_probes)
def other_processes_build_the_same(subject: Subject) -> Iterator[Finding | Undecided]:
    """Another process, with another PYTHONHASHSEED, time zone, rank, user, folder and date, builds the same rows."""
    probes = start_probes(subject)
    if subject.once(TWICE, lambda: _difference_here(subject)):
        return  # C120 reports it
    here = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    for probe in probes:
        subject.note_stage(BUILDING)
        rows = probe.seen().get("rows")
        if rows is None:  # perhaps as extension modules do not load under another clock
            rows = Probe(subject, probe.hash_seed, NOT_LATER).seen().get("rows")
        if rows is None:
            if Probe(subject, 0, (), folder=os.getcwd()).seen().get("rows") is not None:
                yield Undecided(f"{_ELSEWHERE.capitalize()} has no rows: C131 says why.", BESIDE)
            else:
                yield Undecided(f"Another process could not build the rows{probe.failure}.", IMPORTABLE)
            return
        if first_difference(here, rows):  # alone, as two processes that build at the same time may disturb each other
            rows = Probe(subject, probe.hash_seed).seen().get("rows") or rows
        difference = first_difference(here, rows)
        if difference:
            place, one, other = difference
            cause, hint = _cause(subject, here, probe.hash_seed)
            message = f"Another process ({cause}) builds different rows, first at row {place}"
            place_of_code = defined_at(subject.loaded.env.build_dataset)
            yield Finding(f"{message} ({place_of_code}).", hint, place, output=other, expected=one)
            return
    yield from _in_a_folder_with_files(subject, here, probes[0].seen().get("asked") or [])


def _in_a_folder_with_files(subject: Subject, here: Any, names: list[str]) -> Iterator[Finding]:
    """What other rows are built where the files exist that the code looked up, and did not find, in this folder."""
    for files in versions_of(names, subject.settings.origin) if names else ():
        rows = Probe(subject, 0, (HOUSED,), files).seen().get("rows")
        if rows is not None and (difference := first_difference(here, rows)):
            place, one, other = difference
            place_of_code = defined_at(subject.loaded.env.build_dataset)
            message = f"Rows differ where {joined(names)} is in the working directory or HOME, first at row {place}"
            yield Finding(f"{message} ({place_of_code}).", BESIDE, place, output=other, expected=one)
            return


def _cause(subject: Subject, here: Any, hash_seed: int) -> tuple[str, str]:
    """What makes the rows differ in another process, found with one thing changed at a time; and what to do."""
    single = {_ELSEWHERE: Probe(subject, 0, ())} | {kind: Probe(subject, 0, (kind,)) for kind in KINDS}
    seen = {kind: probe.seen().get("rows") for kind, probe in single.items()}
    mattering = [kind for kind, rows in seen.items() if rows is not None and first_difference(here, rows)]
    if _ELSEWHERE in mattering:
        later = Probe(subject, 0, (), folder=os.getcwd()).seen().get("rows")  # in nothing but the time elsewhere
        if later is not None and first_difference(here, later):
            return f"at {_MOMENT}", SEEDED
        return f"in {_ELSEWHERE}", BESIDE
    if CLOCK in mattering and ZONED in mattering:
        mattering.remove(ZONED)  # what reads the time reads it in some zone
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
    """How the rows of new instances differ from the first rows, those of the last split also when built twice."""
    for split in splits_of(subject):
        again, rows = fresh_instance(subject, split)
        if found := _difference(subject, rows, split):
            return found
    subject.note_stage(BUILDING)
    with preserved_random_state():
        rows = again.isolated(build_rows)(again.env, again.tokenizer, split)
        return _difference(subject, rows, split)


def _difference(subject: Subject, rows: Rows, split: Split) -> Difference | None:
    start = (subject.rows.of_train or 0) if split == "test" else 0
    stop = subject.rows.of_train if split == "train" else None
    if same_table(subject.rows, rows, start, stop):
        return None
    whole = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    found = first_difference({name: values[start:stop] for name, values in whole.items()}, contents(rows))
    return found and (start + found[0], *found[1:])
