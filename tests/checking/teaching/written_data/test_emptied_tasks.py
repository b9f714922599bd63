"""G687: a tool empties what the score compares with."""

import pytest

from grpo_env_sdk import reward
from grpo_env_sdk.checking.teaching.written_data.emptied_tasks import emptied_tasks_are_not_gold
from tests.checking.trying import found
from tests.gallery.broken.list_struck_out import Zoo


class ZooByWishes(Zoo):
    """Sound: what was fed is compared with what the row asks for."""

    @reward
    def fed_as_noted(self):
        return self.fed == self.wanted and self.notes == self.wanted


class Hungry(Zoo):
    """Nothing has to be fed in any way, which other checks report."""

    @reward
    def fed_as_noted(self):
        return True


def test_notes_that_are_emptied_in_place_of_the_work_are_found():
    (finding,) = found(emptied_tasks_are_not_gold, Zoo)
    assert "Calling write_note with an empty 'food'" in finding.message
    assert finding.severity == "error"


@pytest.mark.parametrize("cls", [ZooByWishes, Hungry])
def test_rows_that_are_compared_with_and_work_that_nobody_asks_for_are_no_finding(cls):
    assert found(emptied_tasks_are_not_gold, cls) == []
