"""How long everything takes on this machine, and how long a training step takes as a result."""

import inspect
import time
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.cost.measured_episodes import TOO_SLOW, limits_of, mixed
from grpo_env_sdk.checking.evidence.playing.failures import failure_of
from grpo_env_sdk.checking.evidence.playing.machine_load import Spent, Stopwatch
from grpo_env_sdk.checking.evidence.playing.play_jobs import play_jobs
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.rollout.driver import Rollout
from grpo_env_sdk.rollout.host import Job
from grpo_env_sdk.types import Episode, row_seed

STEP = 64
"""The rollouts of the training step that is measured."""
SLOW, VERY_SLOW = 0.25, 5.0
"""Seconds that something may take usually, and at most once, before it is reported."""
SLOW_BUILDING, SLOW_STEP, WAITING_STEP = 10.0, 20.0, 5.0
"""Seconds for the dataset, for a step of rollouts, and for one that waits without need."""
WAITING = 0.5
"""An environment waits if the processor is busy for a smaller part of its time."""
_LEAST, PATIENCE = 4, 4.0
"""The fewest episodes to measure, and for how many seconds to measure more."""
_RARE = 20
"""A call that takes so many times longer than the median is reported."""
_EPISODES = {"quick": 20, "default": 60, "thorough": 400}
_STAGES = {"environment": "reset and steps of an episode", "tools": "tools of an episode", "score": "scoring"}


@check("K710", severity="warning", share=2)
def nothing_takes_long(subject: Subject) -> Iterator[Item]:
    """Building rows, resetting, calling tools and scoring each take well under a second."""
    taken, quiet_part = _taken(subject, _played(subject)), _quiet_part(subject)
    if not taken["scoring"]:
        yield TOO_SLOW
        return
    rows = [[what, len(found), *map(_shown, _three(found))] for what, found in taken.items() if found]
    yield Table("Durations", ("what", "measured", "median", "99%", "worst"), rows)
    building = taken["build_dataset"][0]
    if building > SLOW_BUILDING:
        hint = "Cache what it reads or computes: each process of a training builds it again."
        yield Finding(f"build_dataset takes {building:.0f} s.", hint, output=round(building, 1))
    for what in ("a new instance with its reset", *_STAGES.values()):
        found = taken[what]
        median, _, worst = _three(found)
        mostly = sorted(found)[len(found) // 4] if found else 0.0  # other load of the machine slows some of them
        if mostly * quiet_part > SLOW:
            yield Finding(
                f"In three of four cases {what} took {mostly:.2g} s or more ({len(found)} measured).",
                f"{STEP} of them one after another take {STEP * median:.0f} s per step: cache, batch or await.",
                output=round(median, 2), expected=f"under {SLOW:g} s",
            )  # fmt: skip
        elif worst > VERY_SLOW and worst > _RARE * median:
            yield Finding(
                f"Once in {len(found)} cases {what} took {worst:.1f} s, while the median is {_shown(median)}.",
                "The whole batch waits for the slowest episode: find out which row it is, and set a timeout.",
                output=round(worst, 2),
            )  # fmt: skip


@check("K711", severity="warning")
def a_step_of_rollouts_is_quick(subject: Subject) -> Iterator[Item]:
    """The environment takes only seconds for a step of 64 rollouts, one after another or in parallel."""
    alone = _played(subject)
    if not alone:
        yield TOO_SLOW
        return
    each = _quiet_part(subject) * sum(map(_seconds, alone)) / len(alone)
    serially, (at_once, busy) = STEP * each, _at_once(subject, each)
    rows = [["one after another", _shown(serially)], ["in parallel, if possible", _shown(at_once)]]
    note = f"From {len(alone)} single episodes, and others started together; without the model's time."
    yield Table(f"Time of the environment in a step of {STEP} rollouts", ("how", "time"), rows, note)
    waits, serial = busy < WAITING, subject.loaded.description.scores_in_order
    if at_once <= SLOW_STEP and not (waits and at_once > WAITING_STEP and at_once > serially / 2):
        return
    blocks = async_and_slowest(subject, alone) if waits and at_once > serially / 2 else None
    yield Finding(
        f"{STEP} parallel rollouts take {_shown(at_once)} in the environment alone"
        f"{', most of it waiting' if waits else ''}{', as they are scored one after another' if serial else ''}.",
        f"{blocks} is async but blocks all others while it waits: await asyncio.sleep, or an async client."
        if blocks
        else "Set parallel = True if it keeps no state, or write async def score_episode."
        if serial and waits
        else "Make each episode cheaper: cache what all share, or move work to other processes.",
        output=round(at_once, 1), expected=f"under {WAITING_STEP if waits else SLOW_STEP:g} s",
    )  # fmt: skip


def _played(subject: Subject) -> list[Episode]:
    """Single episodes without the first one, which imports, connects and fills caches."""
    return _measured(subject)[0]


def _quiet_part(subject: Subject) -> float:
    """The part of their time that they would have taken on a quiet machine."""
    return _measured(subject)[1].quiet_part


def _measured(subject: Subject) -> tuple[list[Episode], Spent]:
    return subject.once(("cost", "alone"), lambda: _play_alone(subject))


def _play_alone(subject: Subject) -> tuple[list[Episode], Spent]:
    policy, rows = mixed(subject), subject.chosen
    ends = subject.clock.now() + min(subject.time_left / 2, PATIENCE)
    episodes, watch = list[Episode](), Stopwatch()
    for number in range(_EPISODES[subject.effort] + 1):
        if len(episodes) > _LEAST and subject.clock.now() > ends:
            break
        episodes.append(subject.play(rows[number % len(rows)], policy, limits=limits_of(subject)))
        if episodes[-1].stop_reason == "timeout":
            break
    spent = watch.stop()
    measured = [episode for episode in episodes[1:] if not episode.error]
    failed = None if measured or len(episodes) == 1 else failure_of(episodes[-1])
    if failed:
        raise failed
    return measured, spent


def _taken(subject: Subject, episodes: Sequence[Episode]) -> dict[str, list[float]]:
    """All measured seconds."""
    taken = {"build_dataset": [subject.quiet_build_took], "a new instance with its reset": _resetting(subject)}
    for key, what in _STAGES.items():
        found = [episode.timings[key] for episode in episodes]
        taken[what] = found if any(found) or key == "score" else []
    for call in (call for episode in episodes for call in episode.tool_calls):
        taken.setdefault(f"the tool {call['name']}", []).append(call["seconds"])
    return taken


def _resetting(subject: Subject) -> list[float]:
    if subject.traits.instances == "shared":
        return []
    found: list[float] = []
    for row in subject.chosen:
        if len(found) > 3 and not subject.time_left:
            break
        data, started = subject.row(row), time.perf_counter()
        with subject.instance(row) as env:
            if subject.traits.instances == "constructed":
                subject.call("reset", env.reset, seed=row_seed(data), options=data, row=row)
            found.append(time.perf_counter() - started)
    return found


def _at_once(subject: Subject, each: float) -> tuple[float, float]:
    """How long a step of rollouts takes, and how much of it the processor was busy; estimated from fewer if slow."""
    count = max(_LEAST, min(STEP, int(min(subject.time_left, PATIENCE) / max(each, 1e-6))))
    rows, policy = subject.chosen, mixed(subject)
    jobs = [Job(rows[number % len(rows)], number) for number in range(count)]
    rollout = Rollout(policy, limits=limits_of(subject), concurrency=STEP, live_model=subject.live_model)
    subject.note_stage("parallel episodes", rows[0])
    watch = Stopwatch()
    ended = play_jobs(subject.loaded, subject.rows, rollout, jobs, lambda job: True, subject.loops)
    spent = watch.stop()
    seconds = spent.seconds * spent.quiet_part
    together = seconds < 2 * each and spent.busy_part < WAITING  # more would take no longer
    return seconds * (1.0 if together else STEP / max(1, len(ended))), spent.busy_part


def async_and_slowest(subject: Subject, episodes: Sequence[Episode]) -> str | None:
    """The method in which episodes spend most of their time, if it is async."""
    taken = {"score_episode": sum(episode.timings["score"] for episode in episodes)}
    whole = sum(episode.timings["environment"] for episode in episodes)
    taken |= {name: whole for name in ("reset", "step") if _is_async(subject, name)}
    for call in (call for episode in episodes for call in episode.tool_calls):
        taken[call["name"]] = taken.get(call["name"], 0.0) + call["seconds"]
    slowest = max(taken, key=lambda name: taken[name])
    return slowest if _is_async(subject, slowest) else None


def _is_async(subject: Subject, name: str) -> bool:
    return inspect.iscoroutinefunction(getattr(subject.loaded.env, name, None))


def _seconds(episode: Episode) -> float:
    """The seconds of the environment in an episode."""
    return sum(episode.timings[key] for key in _STAGES)


def _three(found: Sequence[float]) -> tuple[float, float, float]:
    """The median, the 99th percentile and the worst."""
    ordered = sorted(found) or [0.0]
    last = len(ordered) - 1
    return ordered[len(ordered) // 2], ordered[min(last, round(0.99 * last))], ordered[last]


def _shown(seconds: float) -> str:
    """`3.2 ms` or `12 s`."""
    return f"{seconds * 1000:.2g} ms" if seconds < 0.1 else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
