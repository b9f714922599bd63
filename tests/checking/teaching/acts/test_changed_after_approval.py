"""G688: what was approved is changed afterwards."""

import pytest

from grpo_env_sdk import reward, tool
from grpo_env_sdk.checking.teaching.acts.changed_after_approval import approvals_end_with_a_change
from tests.checking.trying import found
from tests.gallery.broken.signed_before_it_grew import Fires


class SignedAgain(Fires):
    """Sound: a change takes the signature back."""

    @tool
    def update_fire(self, metres: int) -> str:
        """Change the size of the fire."""
        self.metres, self.signed = metres, False
        return "Changed."


class NoHoseNeeded(Fires):
    """The hose is never asked for, which other checks report."""

    @tool
    def sign(self) -> str:
        """Let the warden sign."""
        self.signed = True
        return "Signed."


class HoseWhenLit(Fires):
    """Sound: it is checked at the end."""

    @reward
    def burns(self, metres):
        return self.lit == [metres] and self.hose


def test_a_number_that_is_changed_after_it_was_signed_is_found():
    (finding,) = found(approvals_end_with_a_change, Fires)
    assert "Gold without fetch_hose" in finding.message
    assert "set by update_fire" in finding.message


@pytest.mark.parametrize("cls", [SignedAgain, NoHoseNeeded, HoseWhenLit])
def test_approvals_that_end_or_are_not_needed_are_no_finding(cls):
    assert found(approvals_end_with_a_change, cls) == []
