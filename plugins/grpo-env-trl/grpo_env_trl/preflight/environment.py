"""Whether the environment can be trained on: it has enough rows, it plays, and its scores differ."""

from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import suppress
from typing import Any

from grpo_env_sdk import Episode, GrpoEnvError
from grpo_env_sdk.ext import LoadedEnv, command_line, failure_of, last_tested, qualified
from grpo_env_trl.preflight.planned_training import PATIENCE, PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.settings.config_words import config_words


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Problems of the rows, and of some episodes played on them."""
    setup = planned.setup
    name, settings = qualified(planned.loaded.spec), setup.settings
    if settings.eval_rows and not planned.env.measured:
        yield Problem(
            f"{name} has no rows in its {settings.eval_split!r} split, so there is no evaluation before and after.",
            "Build more rows.",
            fatal=False,
        )
    setup.fit_batch()
    if setup.fitted:
        yield Problem(setup.fitted, "More rows teach more.", fatal=False)
    args, there = setup.args, len(planned.rows)
    needed = args.generation_batch_size // args.num_generations
    if there < needed and not setup.several:  # several are drawn as often as a batch needs
        yield too_few_rows(there, needed, args, _more_rows(settings.rows, needed))
    played = planned.random
    if needs_model(played, planned.loaded):
        if settings.trainer == "async":
            yield Problem(f"{name} scores with the model, which trains meanwhile.", "Train without --trainer async.")
        return
    yield from failing(name, played, may_want_model=planned.loaded.description.score_rule.by_method)
    yield from constant(name, played, planned.gold)


def when_tested(loaded: LoadedEnv) -> str:
    """When the environment was last tested, and whether it changed since, in one line."""
    spec = loaded.spec
    found = last_tested(spec) and last_tested(spec, _fingerprint(loaded))
    return str(found) if found else f"not tested yet: {command_line('test', qualified(spec), *config_words(spec))}"


def _fingerprint(loaded: LoadedEnv) -> str | None:
    """That of the rows as `test` reads them; None where it cannot tell, as they depend on the tokenizer."""
    with suppress(GrpoEnvError):
        return None if loaded.tokenizer_name else loaded.rows("all").fingerprint()
    return None


def needs_model(played: Sequence[Episode], loaded: LoadedEnv) -> bool:
    """Whether scoring needs the live model, which only training has; its class says so, or it reads one and fails."""
    failed = [episode for episode in played if episode.error]
    fails_in_scoring = bool(failed) and all(map(_in_scoring, failed))
    return loaded.traits.uses_model or (loaded.scores_with_model and fails_in_scoring)


def failing(name: str, played: Sequence[Episode], may_want_model: bool = False) -> Iterator[Problem]:
    """Episodes that failed although the policy makes valid calls; with `may_want_model`, scoring may need the model."""
    late = [episode for episode in played if episode.stop_reason == "timeout"]
    failures = [found for episode in played if episode not in late and (found := failure_of(episode))]
    hint = f"`grpo-env test {name}` shows details."
    if failures:
        commonest = Counter(failure.cause for failure in failures).most_common(1)[0][0]
        first = next(failure for failure in failures if failure.cause == commonest)
        how_many = "All" if len(failures) == len(played) else f"{len(failures)} of"
        yield Problem(
            f"{how_many} {len(played)} random episodes of {name} failed, most often with: {first.message}",
            hint,
            fatal=len(failures) == len(played) and not (may_want_model and all(_in_scoring(one) for one in played)),
        )
    elif len(late) == len(played):
        yield Problem(
            f"No random episode of {name} ended within {PATIENCE:g} s, and every training step plays many.",
            f"Limit them with --limit-call and --limit-episode. {hint}",
            fatal=False,
        )


def _in_scoring(episode: Episode) -> bool:
    return episode.error is not None and episode.error.stage == "score"


def constant(name: str, random: Sequence[Episode], gold: Sequence[Episode]) -> Iterator[Problem]:
    """Scores that are the same for every answer, so that nothing can be learned."""
    by_chance = {episode.reward for episode in random if episode.reward is not None}
    solved = {episode.reward for episode in gold if episode.reward is not None}
    if len(by_chance) == 1 and by_chance == solved:
        yield Problem(
            f"{name} gives {by_chance.pop():g} both to random answers and to its own solution.",
            f"There is nothing to learn: `grpo-env test {name}` shows details.",
            fatal=False,
        )
    elif len(by_chance) == 1 and not solved and len(random) > 1:
        yield Problem(
            f"{name} gave all {len(random)} random answers a reward of {by_chance.pop():g}.",
            "If all answers of your model score the same at first, it cannot learn.",
            fatal=False,
        )


def _more_rows(chosen: int | Sequence[int] | None, needed: int) -> str:
    """How to train on as many rows as are needed."""
    if chosen is None:
        return "build more rows"
    return f"--rows {needed} or more" if isinstance(chosen, int) else "choose more rows"


def too_few_rows(there: int, needed: int, args: Any, more: str) -> Problem:
    """Fewer rows than one generation batch needs: TRL's sampler would draw nothing. `more` is how to have more."""
    rest = args.world_size * args.steps_per_generation
    fitting = [
        batch
        for batch in range(1, args.per_device_train_batch_size)
        if batch * rest % args.num_generations == 0 and batch * rest // args.num_generations <= there
    ]
    ways = [f"--per-device-train-batch-size {fitting[-1]}"] if fitting else ["fewer --gradient-accumulation-steps"]
    ways.append(more)
    rows = "There is 1 row" if there == 1 else f"There are {there} rows"
    return Problem(
        f"{rows} to train on, and one batch needs {needed} (generation_batch_size {args.generation_batch_size}, "
        f"num_generations {args.num_generations}): there would be no training step.",
        f"Use {', or '.join(ways)}.",
    )
