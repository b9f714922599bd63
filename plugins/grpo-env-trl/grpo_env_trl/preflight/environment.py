"""Whether the environment can be trained on: it plays, it scores, and not everything the same."""

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import cast

from grpo_env_sdk.checking.evidence.failures import failure_of
from grpo_env_sdk.checking.reports.history import last_tested
from grpo_env_sdk.data.rows import Split
from grpo_env_sdk.envs.loading import LoadedEnv
from grpo_env_sdk.rewards.scorer import has_own_scorer
from grpo_env_sdk.types import Episode
from grpo_env_trl.preflight.planned_training import PATIENCE, PlannedTraining
from grpo_env_trl.preflight.problem import Problem


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What is wrong with the rows and with some episodes played on them."""
    prepared = subject.prepared
    name, settings = prepared.loaded.spec.id, prepared.settings
    if settings.eval_rows and not len(prepared.loaded.rows(cast(Split, settings.eval_split))):
        yield Problem(
            f"{name} has no rows in its {settings.eval_split!r} split, so nothing is measured before and after.",
            "Build two rows or more, or take --eval-split all.",
            fatal=False,
        )
    played = subject.random
    if needs_model(played, prepared.loaded):
        return
    yield from failing(name, played, may_want_model=has_own_scorer(type(prepared.loaded.env)))
    yield from constant(name, played, subject.gold)


def when_tested(loaded: LoadedEnv) -> str:
    """When the environment was last tested, and whether that still holds, in one line."""
    found = last_tested(loaded.spec)
    return str(found) if found else f"not tested yet: grpo-env test {loaded.spec.id}"


def needs_model(played: Sequence[Episode], loaded: LoadedEnv) -> bool:
    """Whether scoring waits for the live model, which only training has, said in so many words or not."""
    faults = [episode.error for episode in played if episode.error]
    scoring = [fault for fault in faults if fault.stage == "score" and "NoneType" in fault.message]
    return loaded.traits.uses_model or (bool(faults) and len(scoring) == len(faults))


def failing(name: str, played: Sequence[Episode], may_want_model: bool = False) -> Iterator[Problem]:
    """Episodes of a policy that makes valid calls and still has no score; a scorer may want the model that trains."""
    late = [episode for episode in played if episode.stop_reason == "timeout"]
    failures = [found for episode in played if episode not in late and (found := failure_of(episode))]
    hint = f"`grpo-env test {name}` says more."
    if failures:
        commonest = Counter(failure.cause for failure in failures).most_common(1)[0][0]
        first = next(failure for failure in failures if failure.cause == commonest)
        how_many = "All" if len(failures) == len(played) else f"{len(failures)} of"
        yield Problem(
            f"{how_many} {len(played)} random episodes of {name} failed, most often so: {first.message}",
            hint,
            fatal=len(failures) == len(played) and not (may_want_model and all(_in_scoring(one) for one in played)),
        )
    elif len(late) == len(played):
        yield Problem(
            f"No random episode of {name} was over within {PATIENCE:g} s, and every step of training plays many.",
            f"--limit-call and --limit-episode cut them short. {hint}",
            fatal=False,
        )


def _in_scoring(episode: Episode) -> bool:
    return episode.error is not None and episode.error.stage == "score"


def constant(name: str, random: Sequence[Episode], gold: Sequence[Episode]) -> Iterator[Problem]:
    """Scores that are the same for whatever is done, from which nothing can be learnt."""
    by_chance = {episode.reward for episode in random if episode.reward is not None}
    solved = {episode.reward for episode in gold if episode.reward is not None}
    if len(by_chance) == 1 and by_chance == solved:
        yield Problem(
            f"{name} gives {by_chance.pop():g} to random answers and to its own solution alike.",
            f"Then there is nothing to learn: `grpo-env test {name}` says more.",
            fatal=False,
        )
    elif len(by_chance) == 1 and not solved and len(random) > 1:
        yield Problem(
            f"{name} gave each of {len(random)} random answers {by_chance.pop():g}.",
            "Where a model's first answers all score the same too, it has nothing to learn from.",
            fatal=False,
        )
