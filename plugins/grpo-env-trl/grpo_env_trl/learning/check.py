"""The check `L901`, which `grpo-env test --learn` runs."""

from collections.abc import Iterator

from grpo_env_sdk import GrpoEnvError
from grpo_env_sdk.ext import Item, Subject, Table, Undecided, check, describe_error, qualified
from grpo_env_trl.learning.result import LearningResult, MeanReward
from grpo_env_trl.learning.verdict import verdict

_SHOWN = ("Reward", "Parts of the reward", "Spread of the rewards")


class _NoTimeError(Exception):
    """The time of the check is used up."""


@check("L901", severity="warning", needs=("solve",), seconds=120)
def a_small_model_learns_it(subject: Subject) -> Iterator[Item]:
    """A small model learns it with GRPO, measured on rows that it was not trained on."""
    subject.note_stage("learning: importing torch")
    from grpo_env_trl.learning.learning import learn
    from grpo_env_trl.report.curves import curves

    at = ""

    def note(what: str, done: int, of: int) -> None:
        nonlocal at
        at = f"{what} {done}/{of}"
        subject.note_stage(f"learning: {at}")
        if not subject.time_left:
            raise _NoTimeError

    try:
        loaded = subject.another()
        subject.note_stage("learning: starting")
        result = learn(loaded, seed=subject.settings.seed, progress=note)
    except GrpoEnvError:
        raise
    except _NoTimeError:
        why = f"The small model was not done in the time of this check; it was {at}."
        yield Undecided(why, "Give it more time, or use a less busy machine.", flags="--timeout 600")
        return
    except Exception as exc:  # of the environment, or of TRL
        where = f"`grpo-env train {qualified(subject.spec)}` shows where it fails."
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
    spread = f"In {result.zero_spread_share:.0%} of the groups all answers had the same reward."
    return Table(
        f"Reward on {result.rows} {rows} rows, before and after {result.steps} steps",
        ("", "sampled", "standard error"),
        [(name, *_cells(reward)) for name, reward in named.items()],
        spread if result.steps else "Nothing was trained.",
    )


def _cells(reward: MeanReward | None) -> tuple[str, str]:
    return ("-", "-") if reward is None else (f"{reward.mean:z.3f}", f"{reward.error:z.3f}")
