"""A training that a program interrupts and goes on with."""

import pytest
from lessons import Spell
from quick import QUICK, quick_run
from test_interrupting import UNMEASURED, At, interrupt

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import RunError, open_run
from grpo_env_trl import train


@pytest.mark.parametrize(
    ("envs", "settings"),
    [(["lessons:Spell"], {"out": "run", "resume": True}), ([], {"resume": "run"}), ([Spell], {"resume": "run"})],
)
def test_an_interrupted_training_says_how_to_go_on_and_does_with_its_own_settings(envs, settings, models, workplace):
    begun = QUICK | UNMEASURED | {"out": "run", "quiet": True, "resume": True}  # where there is no run, it begins
    with pytest.raises(
        KeyboardInterrupt, match=r"stopped at step 3, which is saved; train\(\.\.\., resume='run'\) goes"
    ):
        train("lessons:Spell", models(), callbacks=[At(3, interrupt)], **begun)
    made = train(*envs, quiet=True, **settings)
    assert (made.steps, made.resumed_at, made.finished) == (4, 3, True)


def test_what_differs_from_the_run_is_one_line(models, workplace):
    quick_run("lessons:Spell", models(), "run", callbacks=[At(1, interrupt)], **UNMEASURED)
    with pytest.raises(UsageError, match=r"^resume uses the settings of the run.*learning_rate is 0\.001"):
        train(resume="run", learning_rate=0.5)
    with pytest.raises(UsageError, match="'run' cannot be resumed: samples was 2 and is 4"):
        train(resume="run", num_generations=4)
    with pytest.raises(UsageError, match="resume=True needs out"):
        train("lessons:Spell", resume=True)
    with pytest.raises(RunError, match="nowhere"):
        train(resume="nowhere")
    assert open_run("run").summary() is None
