"""What a worker process does: run the checks of an order one after another, and send events."""

import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any

from grpo_env_sdk import errors
from grpo_env_sdk.checking.check import LEARN, Check, checks_of
from grpo_env_sdk.checking.evidence.attempts.answers import MOST_TURNS, STAND_INS
from grpo_env_sdk.checking.evidence.attempts.first_episodes import episode_seconds, gold_facts
from grpo_env_sdk.checking.evidence.gold.no_gold import SOLVE, no_gold
from grpo_env_sdk.checking.evidence.playing.failures import HANG, UNUSABLE, FailedHereError, OutOfTimeError
from grpo_env_sdk.checking.evidence.playing.left_files import are_crowded, with_leaked_files
from grpo_env_sdk.checking.evidence.playing.threads import CROWDED, foreign_threads, with_leaked_threads
from grpo_env_sdk.checking.evidence.playing.tried import TRIED_LITTLE
from grpo_env_sdk.checking.evidence.stand_ins.found_episodes import found_episodes, with_stand_ins
from grpo_env_sdk.checking.evidence.subject import Settings, Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item, Undecided, plain, to_wire
from grpo_env_sdk.checking.findings.report import FIX_FIRST
from grpo_env_sdk.checking.runner.events import Send, can_take, without_repeats
from grpo_env_sdk.checking.runner.marking import check_item, marked, unexpected
from grpo_env_sdk.checking.runner.sequence import EARLY, FIRST, in_turn
from grpo_env_sdk.errors import BrokenPackageError, GrpoEnvError
from grpo_env_sdk.policies.make import has_live_model
from grpo_env_sdk.types import EnvSpec

MOST_FINDINGS = 5
"""A check is stopped after so many findings."""
LEAST_SECONDS, LEAST_PART = 0.1, 1 / 30
"""What a check gets if the shared time has run out: so many seconds, or that part of all of it."""
MOST_LEAST = 6.0
"""Checks of a great share get up to so many times that."""
MOST_FOR_PLAYS = 4.0
"""And those that need some episodes get at most so many seconds for them."""
CLOSING = "E313"
"""The check of what is closed; what `open_shared` opens is left only once all checks have run."""


@dataclass(frozen=True, slots=True)
class Order:
    """Which checks of which environment a process runs, and in about how many seconds."""

    spec: EnvSpec
    settings: Settings
    checks: tuple[str, ...]
    seconds: float = 15.0
    """Those in which it does not wait for a processor."""
    most_seconds: float = 15.0
    """The seconds in all, and those for an environment whose episodes take long."""
    least_part: float = LEAST_PART
    """The part of the time that a check gets if the shared time has run out."""
    episode_seconds: float | None = None
    """What an episode takes, once another process has measured it."""
    own_seconds: Mapping[str, float] = field(default_factory=dict)
    """What each check gets that has time of its own."""

    def as_json(self) -> dict[str, Any]:
        """The order as it is sent to another process."""
        return asdict(self)

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> "Order":
        """The order that `as_json` wrote."""
        spec, settings = EnvSpec.from_json(data["spec"]), Settings(**data["settings"])
        return cls(**data | {"spec": spec, "settings": settings, "checks": tuple(data["checks"])})


def work(order: Order, send: Send, create: Callable[..., Any] | None = None, replaceable: bool = False) -> None:
    """Import the environment, run each check, and send events.

    A `replaceable` process leaves the remaining checks to the next one once episodes left too many threads in it.
    """
    send = without_repeats(send)

    def on_stage(stage: str, row: int | None) -> None:
        send({"event": "at", "stage": stage, "row": row})

    subject = Subject(order.spec, order.settings, on_stage, create)
    try:
        cls = subject.check_arguments()
    except GrpoEnvError as exc:
        return send({"event": "refused", **exc.as_json()["error"]})
    seconds: Any = getattr(cls, "call_seconds", None)
    seconds = float(seconds) if can_take(seconds) else None  # C101 says what is wrong with others
    send({"event": "imported", "waive": plain(waivers_on(cls)), "call_seconds": seconds})
    left = checks_of(order.checks)
    crowded = _work_off(left, subject, order, send, replaceable)
    subject.close()
    if CLOSING in order.checks and (failure := subject.failed_to_leave):
        found = Finding(failure, "Fix what comes after its yield.", severity="warning", check=CLOSING)
        send({"event": "found", "check": CLOSING, "item": to_wire(found)})
    send({"event": "facts", **_facts(subject)})
    return send({"event": "crowded"}) if crowded else None


def waivers_on(owner: Any) -> Any:
    """The waivers on a class or an instance; a tool or another method of that name is the author's."""
    found = getattr(owner, "waive", None)
    return None if callable(found) or isinstance(found, property) else found


def _work_off(left: list[Check], subject: Subject, order: Order, send: Send, replaceable: bool) -> bool:
    """Run the checks one after another; whether some remain for another process."""
    clock, measured = subject.clock, False
    started, ends = clock.now(), clock.now() + order.seconds
    ends_at_last = time.monotonic() + max(order.seconds, order.most_seconds)
    begun = False
    while left:
        if not begun and left[0].id not in (*FIRST, *EARLY):
            begun = True
            _start_ahead(left, subject)
        if not measured and _plays(left[0], subject):
            measured = True
            subject.episode_seconds = _measured(subject, order, send)
            subject.limits = replace(subject.limits, turns=MOST_TURNS)  # an endless episode would use up the time
            longer = min(order.most_seconds, order.seconds / subject.part_played)
            ends = max(ends, started + longer)
            if subject.slow:
                left[:] = in_turn(left)
        check = left.pop(0)
        shared = sum(item.share for item in (check, *left) if not item.seconds)
        own = order.own_seconds.get(check.id, check.seconds)
        if own:  # it may be stopped
            send({"event": "facts", **_facts(subject)})
        floor = max(LEAST_SECONDS, order.least_part * order.seconds) * min(max(1.0, check.share / 2), MOST_LEAST)
        floor = max(floor, min(MOST_FOR_PLAYS, check.plays * subject.episode_seconds))
        least, part = max(floor, own), 0.0 if own else check.share / shared
        seconds = max(least, (ends - clock.now()) * part)
        _run(check, subject, seconds, max(least, (ends_at_last - time.monotonic()) * part), send)
        ends, ends_at_last = ends + own, ends_at_last + own
        crowded = len(foreign_threads()) > CROWDED or are_crowded(subject.files)
        if replaceable and left and crowded:
            return True
    return False


def _start_ahead(checks: list[Check], subject: Subject) -> None:
    """Start the processes whose answers these checks will need."""
    for check in checks:
        with suppress(Exception):  # the check itself reports it
            if check.ahead is not None and unmet(check, subject) is None and not subject.traits.max_live:
                check.ahead(subject)


def plays(check: Check) -> bool:
    """Whether a check plays episodes, or looks at tools."""
    return bool(set(check.needs) - {"rows"})


def _plays(check: Check, subject: Subject) -> bool:
    """Whether a check plays episodes, and the environment can be used."""
    return check.id not in FIRST and plays(check) and unmet(check, subject) is None


def _measured(subject: Subject, order: Order, send: Send) -> float:
    """The seconds of an episode, as another process measured them or else this one."""
    if order.episode_seconds is not None:
        return order.episode_seconds
    send({"event": "measuring"})
    seconds = 0.0
    with suppress(GrpoEnvError):  # the checks report it
        seconds = episode_seconds(subject)
    send({"event": "measured", "seconds": round(seconds, 4)})
    return seconds


def refusal(event: Mapping[str, Any]) -> GrpoEnvError:
    """The error of a `refused` event."""
    kind: Any = getattr(errors, event["type"], None)
    known = isinstance(kind, type) and issubclass(kind, GrpoEnvError)
    return (kind if known else BrokenPackageError)(event["message"], event["hint"])


def found_by(check: Check, subject: Subject) -> Iterator[Item]:
    """The items of a check, marked with its id; a failure on the way is one more item."""
    count = gaps = 0
    subject.stand_ins = None
    try:
        gap = unmet(check, subject)
        if gap is not None:
            if gap.why:
                yield replace(gap, checks=(check.id,))
            return
        if plays(check) and (hangs := subject.recall(HANG)) is not None:
            if hangs:
                raise hangs.pop()
            yield Undecided(UNUSABLE, FIX_FIRST, (check.id,))
            return
        if "acts" in check.needs and not _has_acts(subject):
            yield replace(no_gold(subject), checks=(check.id,))
            return
        for item in check(subject):
            check_item(item)
            yield marked(with_stand_ins(item) if subject.stand_ins is not None else item, check)
            count += isinstance(item, Finding)
            gaps += isinstance(item, Undecided)
            if count == MOST_FINDINGS:
                return
        if subject.tried.too_little and not count and not gaps:
            yield marked(TRIED_LITTLE, check)
    except FailedHereError as exc:
        yield marked(Finding(exc.message, exc.hint, exc.row, exc.given, severity="error", cause=exc.cause), check)
    except OutOfTimeError as exc:
        yield Undecided(exc.message, exc.hint, (check.id,), "--timeout 600")
    except GrpoEnvError as exc:
        yield Undecided(exc.message, exc.hint, (check.id,))
    except Exception as exc:
        yield unexpected(exc, check)


def unmet(check: Check, subject: Subject) -> Undecided | None:
    """What a check needs and the environment does not have; an empty reason if the check is for other environments."""
    if check.of != "subject":
        return Undecided("")
    if not check.needs and not check.kinds:
        return None
    try:
        _ = subject.rows
    except GrpoEnvError:
        return Undecided(UNUSABLE, FIX_FIRST)
    traits = subject.traits
    other_kind = check.kinds and traits.kind not in check.kinds
    no_tools = "tools" in check.needs and not subject.tools
    no_calls = "calls" in check.needs and traits.runs_tools == "none"
    if other_kind or no_tools or no_calls:
        return Undecided("")
    named = subject.settings.model
    brings_model = (named is not None and has_live_model(named)) or check.group == LEARN
    if plays(check) and traits.uses_model and not brings_model:
        return Undecided(
            f"{subject.spec.id} scores with the live model (uses_model).", "Name one: --model FOLDER or HUB_ID."
        )
    if "solve" in check.needs and not traits.solvable:
        return Undecided("It has no solve(row).", SOLVE)
    if "gold" in check.needs and subject.gold_source is None:
        return no_gold(subject)
    return None


def _has_acts(subject: Subject) -> bool:
    """Whether there is gold, or episodes are found that stand in for it in this check."""
    if subject.gold_source is None:
        subject.stand_ins = subject.once(STAND_INS, lambda: found_episodes(subject)) or None
    return subject.gold_source is not None or subject.stand_ins is not None


def _run(check: Check, subject: Subject, seconds: float, most: float, send: Send) -> None:
    started = time.monotonic()
    subject.begin(check.id, seconds, check.group, most)
    send({"event": "started", "check": check.id, "seconds": seconds})
    for found in chain.from_iterable(map(with_leaked_threads, found_by(check, subject))):
        for item in with_leaked_files(subject.files, found):
            send({"event": "found", "check": check.id, "item": to_wire(item)})
    send({"event": "ended", "check": check.id, "seconds": round(time.monotonic() - started, 3)})


def _facts(subject: Subject) -> dict[str, Any]:
    """What was tested, for the report and to see later whether it has changed."""
    try:
        loaded, rows = subject.loaded, subject.rows
    except GrpoEnvError:
        return {}
    return {
        "kind": loaded.traits.kind, "rows": len(rows), "gold": subject.recall("gold source"),
        "tools": len(subject.tools), "source_hash": loaded.spec.source_hash, "dataset_fingerprint": rows.fingerprint(),
        **gold_facts(subject),
    }  # fmt: skip
