"""The check `L901`, which `grpo-env test --learn` runs."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Item, Table, Undecided
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.tracebacks import describe_error
from grpo_env_trl.learning.learnt import Learnt, Worth
from grpo_env_trl.learning.verdict import verdict

_SHOWN = ("Reward", "Parts of the reward", "Spread of the rewards")


@check("L901", severity="warning", needs=("solve",), seconds=170)
def a_small_model_learns_it(subject: Subject) -> Iterator[Item]:
    """A small model learns it by GRPO, on rows that it was not trained on."""
    from grpo_env_trl.learning.learning import learn
    from grpo_env_trl.report.curves import curves

    def told(what: str, done: int, of: int) -> None:
        subject.note_stage(f"learning: {what} {done}/{of}")

    seed = subject.settings.seed
    try:
        learnt = learn(subject.another(), seed=seed, seconds=subject.time_left, progress=told)
    except GrpoEnvError:
        raise
    except Exception as exc:  # of the environment, or of TRL
        where = f"`grpo-env train {subject.spec.id}` shows where."
        yield Undecided(f"The training broke off: {describe_error(exc)}.", where)
        return
    yield verdict(learnt)
    yield _table(learnt)
    for plot in curves(learnt.history)[0]:
        if plot.title in _SHOWN:
            yield plot


def _table(learnt: Learnt) -> Table:
    rows = "held-out" if learnt.held_out else "training"
    named = {"before": learnt.before, "after": learnt.after, "gold": learnt.gold}
    return Table(
        f"Reward on {learnt.rows} {rows} rows, before and after {learnt.steps} steps",
        ("", "sampled", "standard error", "greedy"),
        [(name, *_cells(worth)) for name, worth in named.items()],
        f"In {learnt.zero_spread_share:.0%} of the groups all answers were worth the same.",
    )


def _cells(worth: Worth | None) -> tuple[str, str, str]:
    if worth is None:
        return "-", "-", "-"
    return f"{worth.mean:.3f}", f"{worth.error:.3f}", "" if worth.greedy is None else f"{worth.greedy:.3f}"
