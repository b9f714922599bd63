"""A short training tells sound rewards from broken ones; docs/checks/learn.md has the numbers."""

import pytest

from grpo_env_sdk.checking.findings.finding import Finding, Undecided

pytestmark = pytest.mark.filterwarnings("ignore:.*gradient_checkpointing.* is deprecated:FutureWarning")

LEARNT = (
    "tests.gallery.sound.reading:Reading",
    "tests.gallery.sound.partial_credit:SortWords",
    "tests.gallery.sound.yes_no:TrueOrFalse",
    "tests.gallery.sound.seeded_opponent:Nim",
)
TOO_HARD = (
    "tests.gallery.sound.one_turn_game:MissingNumber",
    "tests.gallery.sound.rows_on_the_fly:Inventory",
    "tests.gallery.sound.spare_tool:Shop",
)
TOLD = {
    "ConstantFloor": "Nothing to learn",
    "NeverMet": "Nothing to learn",
    "UpsideDown": "Upside down",
    "ReadsAnotherForm": "Nothing to learn",
    "OneTooLate": "Not learned",
    "OneBookingTooLate": "Not learned",
}
"""What is said of those that are found out for sure; of the others a warning may come, or that it cannot be told."""
BROKEN = (*TOLD, "CoinFlips", "OtherRows", "HiddenCode", "SecretAtEveryReset", "AllOrNothing", "ReadsTheFirstWord")


@pytest.fixture
def judged():
    """The verdict on an environment."""
    pytest.importorskip("trl")
    from grpo_env_sdk.envs.loading import load
    from grpo_env_trl.learning.learning import learn
    from grpo_env_trl.learning.verdict import verdict

    return lambda name: verdict(learn(load(name), progress=lambda what, done, of: None))


@pytest.mark.slow
@pytest.mark.parametrize("name", LEARNT)
def test_a_sound_environment_is_learnt(judged, name):
    found = judged(name)
    assert isinstance(found, Finding), found
    assert found.message.startswith("Learned: ")


@pytest.mark.slow
@pytest.mark.parametrize("name", TOO_HARD)
def test_a_sound_environment_that_is_too_hard_for_the_demo_model_is_undecided(judged, name):
    assert isinstance(judged(name), Undecided)


@pytest.mark.slow
@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_reward_is_not_learnt(judged, name):
    found = judged(f"tests.gallery.broken_rewards:{name}")
    if name in TOLD:
        assert isinstance(found, Finding)
    if isinstance(found, Finding):
        assert found.severity is None  # the check's own: a warning
        assert found.message.startswith(TOLD.get(name, ("Not learned", "Nothing to learn")))
