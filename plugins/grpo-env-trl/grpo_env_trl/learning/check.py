"""The check `L901`, which `grpo-env test --learn` runs."""

from collections.abc import Iterator

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import Item, Subject, Table, Undecided, check, describe_error
from grpo_env_trl.learning.result import LearningResult, MeanReward
from grpo_env_trl.learning.verdict import verdict

_SHOWN = ("Reward", "Parts of the reward", "Spread of the rewards")


@check("L901", severity="warning", needs=("solve",), seconds=170)
def a_small_model_learns_it(subject: Subject) -> Iterator[Item]:
    """A small model learns it with GRPO, measured on rows that it was not trained on."""
    from grpo_env_trl.learning.learning import learn
    from grpo_env_trl.report.curves import curves

    def text(what: str, done: int, of: int) -> None:
        subject.note_stage(f"learning: {what} {done}/{of}")

    seed = subject.settings.seed
    try:
        result = learn(subject.another(), seed=seed, seconds=subject.time_left, progress=text)
    except GrpoEnvError:
        raise
    except Exception as exc:  # of the environment, or of TRL
        where = f"`grpo-env train {subject.spec.id}` shows where it fails."
        yield Undecided(f"The training failed: {describe_error(exc)}.", where)
        return
    yield verdict(result)
    yield _table(result)
    for plot in curves(result.history)[0]:
        if plot.title in _SHOWN:
            yield plot


def _table(result: LearningResult) -> Table:
    rows = "held-out" if result.held_out else "training"
    named = {"before": result.before, "after": result.after, "gold": result.gold}
    return Table(
        f"Reward on {result.rows} {rows} rows, before and after {result.steps} steps",
        ("", "sampled", "standard error", "greedy"),
        [(name, *_cells(reward)) for name, reward in named.items()],
        f"In {result.zero_spread_share:.0%} of the groups all answers had the same reward.",
    )


def _cells(reward: MeanReward | None) -> tuple[str, str, str]:
    if reward is None:
        return "-", "-", "-"
    return f"{reward.mean:.3f}", f"{reward.error:.3f}", "" if reward.greedy is None else f"{reward.greedy:.3f}"
