"""The same rows whenever and wherever they are built, and an instance that can go to another process."""

import pickle
from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.env_under_test import BUILDING
from grpo_env_sdk.checking.evidence.probes import start_probes
from grpo_env_sdk.checking.evidence.row_contents import contents, first_difference
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.data.rows import build_rows
from grpo_env_sdk.isolation.random_state import preserved_random_state, seed_all
from grpo_env_sdk.isolation.tracebacks import defined_at, describe_error

SEEDED = "Make rows from the constructor's arguments alone: random.Random(seed) for chance, no clock, counter or uuid."
SORTED = "Sort what comes out of a set, a dict of sets or a folder; seed what is drawn."
Difference = tuple[int, str, str]


@check("C120", needs=("rows",))
def building_twice_gives_the_same(subject: Subject) -> Iterator[Finding]:
    """`build_dataset` gives the same rows each time, whatever the global random state."""
    difference = subject.once(("contract", "twice"), lambda: _difference_here(subject))
    if difference:
        place, one, other = difference
        message = f"Built a second time in one process, the rows differ, first row {place}"
        place_of_code = defined_at(subject.loaded.env.build_dataset)
        yield Finding(f"{message} ({place_of_code}).", SEEDED, place, output=other, expected=one)


@check("C121", needs=("rows",), share=3)
def other_processes_build_the_same(subject: Subject) -> Iterator[Finding | Undecided]:
    """Another process, with another PYTHONHASHSEED, builds the same rows."""
    probes = start_probes(subject)
    if subject.once(("contract", "twice"), lambda: _difference_here(subject)):
        return  # told already, and no better elsewhere
    here = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    for probe in probes:
        subject.tell(BUILDING)
        told = probe.told().get("rows")
        if told is None:
            yield Undecided("Another process could not build the rows.", "See whether it imports without this shell.")
            return
        difference = first_difference(here, told)
        if difference:
            place, one, other = difference
            message = f"Another process (PYTHONHASHSEED={probe.hash_seed}) builds other rows, first row {place}"
            place_of_code = defined_at(subject.loaded.env.build_dataset)
            yield Finding(f"{message} ({place_of_code}).", SORTED, place, output=other, expected=one)
            return


@check("C123", needs=("rows",), severity="info")
def it_can_be_pickled(subject: Subject) -> Iterator[Finding]:
    """An instance can be pickled, so that it can be sent to another process, and copied where it runs tools."""
    loaded = subject.loaded
    if loaded.traits.kind == "tools" and loaded.traits.instances == "shared":
        message = "An instance cannot be copied, so episodes with tools run one after another."
        yield Finding(message, "Open connections, locks and files when they are needed.", severity="warning")
    try:
        pickle.dumps(loaded.env)
    except Exception as exc:
        message = f"An instance cannot be pickled: {describe_error(exc)}."
        yield Finding(message, "Open connections, locks and files when they are needed, and keep no lambda in self.")


def _difference_here(subject: Subject) -> Difference | None:
    """How rows that a second instance builds, once and again, differ from the first's; chance is seeded elsewhere."""
    first = subject.once(("contract", "contents"), lambda: contents(subject.rows))
    with preserved_random_state():
        seed_all(subject.settings.seed + 1)
        again = subject.another()
        subject.tell(BUILDING)
        once = first_difference(first, contents(again.rows("all")))
        return once or first_difference(first, contents(build_rows(again.env, again.tokenizer)))
