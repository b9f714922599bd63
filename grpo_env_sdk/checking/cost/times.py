"""How long each thing takes on this machine, and what that makes of a step of training."""

import inspect
import time
from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.cost.measured_episodes import TOO_SLOW, limits_of, mixed
from grpo_env_sdk.checking.evidence.failures import failure_of
from grpo_env_sdk.checking.evidence.play_jobs import play_jobs
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Item
from grpo_env_sdk.report.exhibits import Table
from grpo_env_sdk.rollout.driver import Job, Rollout
from grpo_env_sdk.types import Episode, row_seed

STEP = 64
"""The rollouts of a step of training that is spoken of."""
SLOW, VERY_SLOW = 0.25, 5.0
"""Seconds that one thing may usually take, and that it may take once, before it is told."""
SLOW_BUILDING, SLOW_STEP, WAITING_STEP = 10.0, 20.0, 5.0
"""Seconds of the dataset, of a step of rollouts, and of one that only waits and need not."""
WAITING = 0.5
"""An environment waits where the processor is busy for a smaller part of its time."""
_LEAST, PATIENCE = 4, 4.0
"""The fewest episodes that are measured, and for how many seconds more are."""
_RARE = 20
"""One call that takes so many times as long as others is told of."""
_EPISODES = {"quick": 20, "default": 60, "thorough": 400}
_STAGES = {"environment": "reset and steps of an episode", "tools": "tools of an episode", "score": "scoring"}


@check("K710", severity="warning", share=2)
def nothing_takes_long(subject: Subject) -> Iterator[Item]:
    """Building, resetting, calling tools and scoring take well under a second each."""
    taken = _taken(subject, _played(subject))
    if not taken["scoring"]:
        yield TOO_SLOW
        return
    rows = [[what, len(found), *map(_shown, _three(found))] for what, found in taken.items() if found]
    yield Table("What takes how long", ("what", "measured", "median", "99%", "worst"), rows)
    building = taken["build_dataset"][0]
    if building > SLOW_BUILDING:
        hint = "Cache what it reads or makes: each process of a training builds it again."
        yield Finding(f"build_dataset takes {building:.0f} s.", hint, output=round(building, 1))
    for what in ("a new instance with its reset", *_STAGES.values()):
        found = taken[what]
        median, _, worst = _three(found)
        mostly = sorted(found)[len(found) // 4] if found else 0.0  # what else the machine does slows some of them
        if mostly > SLOW:
            yield Finding(
                f"Three of four times {what} took {mostly:.2g} s or more ({len(found)} measured).",
                f"{STEP} of them one after another are {STEP * median:.0f} s a step: cache, batch, or await.",
                output=round(median, 2), expected=f"under {SLOW:g} s",
            )  # fmt: skip
        elif worst > VERY_SLOW and worst > _RARE * median:
            yield Finding(
                f"Once in {len(found)} times {what} took {worst:.1f} s, where {_shown(median)} is usual.",
                "The whole batch waits for the slowest: find out on which row, and give it a deadline.",
                output=round(worst, 2),
            )  # fmt: skip


@check("K711", severity="warning")
def a_step_of_rollouts_is_quick(subject: Subject) -> Iterator[Item]:
    """The environment's part of a step of 64 rollouts is over in seconds, one after another or at once."""
    alone = _played(subject)
    if not alone:
        yield TOO_SLOW
        return
    each = sum(map(_seconds, alone)) / len(alone)
    serially, (at_once, busy) = STEP * each, _at_once(subject, each)
    rows = [["one after another", _shown(serially)], ["at once, as far as it goes", _shown(at_once)]]
    note = f"From {len(alone)} episodes by themselves, and others started together; the model's time is not in it."
    yield Table(f"The environment's part of a step of {STEP} rollouts", ("how", "takes"), rows, note)
    waits, serial = busy < WAITING, _one_by_one(subject)
    if at_once <= SLOW_STEP and not (waits and at_once > WAITING_STEP and at_once > serially / 2):
        return
    blocks = inspect.iscoroutinefunction(getattr(subject.loaded.env, "score_episode", None))
    yield Finding(
        f"{STEP} rollouts at once take {_shown(at_once)} of the environment alone"
        f"{', most of it waiting' if waits else ''}{', as they are scored one after another' if serial else ''}.",
        "It is async and holds up all others while it waits: await asyncio.sleep, or an async client."
        if blocks and waits
        else "Say parallel = True if it keeps no state, or write async def score_episode."
        if serial and waits
        else "Make a single one cheaper: cache what is equal for all, or hand work to other processes.",
        output=round(at_once, 1), expected=f"under {SLOW_STEP:g} s",
    )  # fmt: skip


def _played(subject: Subject) -> list[Episode]:
    """Episodes by themselves, the first of which is left out: it imports, connects and fills caches."""
    return subject.once(("cost", "alone"), lambda: _play_alone(subject))


def _play_alone(subject: Subject) -> list[Episode]:
    policy, rows = mixed(subject), subject.chosen
    ends = time.monotonic() + min(subject.time_left / 2, PATIENCE)
    episodes: list[Episode] = []
    for number in range(_EPISODES[subject.effort] + 1):
        if len(episodes) > _LEAST and time.monotonic() > ends:
            break
        episodes.append(subject.play(rows[number % len(rows)], policy, limits=limits_of(subject)))
        if episodes[-1].stop_reason == "timeout":
            break
    measured = [episode for episode in episodes[1:] if not episode.error]
    failed = None if measured or len(episodes) == 1 else failure_of(episodes[-1])
    if failed:
        raise failed
    return measured


def _taken(subject: Subject, episodes: Sequence[Episode]) -> dict[str, list[float]]:
    """The seconds of everything that was measured."""
    taken = {"build_dataset": [subject.built_in], "a new instance with its reset": _resetting(subject)}
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
        env = subject.call("an instance", subject.loaded.instance, row=row)
        if subject.traits.instances == "constructed":
            subject.call("reset", env.reset, seed=row_seed(data), options=data, row=row)
        found.append(time.perf_counter() - started)
    return found


def _at_once(subject: Subject, each: float) -> tuple[float, float]:
    """How long a step of rollouts takes, and which part of that the processor was busy; told from fewer, at need."""
    count = max(_LEAST, min(STEP, int(min(subject.time_left, PATIENCE) / max(each, 1e-6))))
    rows, policy = subject.chosen, mixed(subject)
    jobs = [Job(rows[number % len(rows)], number) for number in range(count)]
    rollout = Rollout(policy, limits=limits_of(subject), concurrency=STEP)
    subject.tell("episodes at once", rows[0])
    started, worked = time.perf_counter(), time.process_time()
    ended = play_jobs(subject.loaded, subject.rows, rollout, jobs, lambda job: True)
    seconds, busy = time.perf_counter() - started, time.process_time() - worked
    together = seconds < 2 * each and busy / seconds < WAITING  # more of them would take no longer
    return seconds * (1.0 if together else STEP / max(1, len(ended))), busy / seconds


def _one_by_one(subject: Subject) -> bool:
    """Whether episodes are scored one after another."""
    return subject.traits.instances == "shared" and not subject.traits.parallel


def _seconds(episode: Episode) -> float:
    """What the environment took of an episode."""
    return sum(episode.timings[key] for key in _STAGES)


def _three(found: Sequence[float]) -> tuple[float, float, float]:
    """The median, the 99th percentile and the worst."""
    ordered = sorted(found) or [0.0]
    last = len(ordered) - 1
    return ordered[len(ordered) // 2], ordered[min(last, round(0.99 * last))], ordered[last]


def _shown(seconds: float) -> str:
    """`3.2 ms` or `12 s`."""
    return f"{seconds * 1000:.2g} ms" if seconds < 0.1 else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
