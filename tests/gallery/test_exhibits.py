"""The gallery itself: its table is complete, its environments load, and apart from its mistake each one works."""

import ast
from pathlib import Path

import pytest

from tests.gallery.catalogue import BROKEN, SOUND
from tests.gallery.playing import EXHIBITS, class_of, gold_rewards, opened, rows_of

HERE = Path(__file__).parent
CANNOT_BE_BUILT = {"missing_column", "blank_last_row"}
IMPORT_DOES_SOMETHING = {"seeds_at_import", "cache_at_import", "alarm_at_import"}  # tried in a process of their own
SLOW = {"slow_rows", "waits_in_score", "blocking_async"}
GOLD_FALLS_SHORT = {
    "accented_names", "answers_of_the_last_split", "brackets_unescaped", "cached_by_number", "cached_by_opening",
    "clock_bonus", "luck_of_the_dice", "names_given_before", "needs_built_dataset", "not_always_winnable",
    "source_with_suffix", "step_rewards_add_up", "streaming_judge", "tie_breaking_noise", "too_few_turns",
    "stairs_too_dear", "too_many_shifts_pay", "trailing_zero",
    "typo_behind_default", "walled_in", "words_that_pay",
}  # fmt: skip
WITHOUT_SOLVE = {
    "no_solution_known", "creative_floor", "goal_called_target", "tags_refused", "half_of_the_boards",
    "dice_of_the_row", "numbers_out_of_reach", "spaces_in_some_cells", "unanswerable_in_words", "ladder_of_words",
    "maze_with_a_lock", "spot_checked", "tested_on_its_examples", "apples_picked_again", "looks_given_back",
    "every_bird_named", "long_and_wrong", "bold_forecasts", "order_cut_short", "brier_forecasts",
    "slips_without_end", "stop_in_stopford", "wanted_sum_kept_too", "fewer_than_no_tools", "any_city",
    "accents_taken_off", "accents_on_neither_side", "invoice_of_nothing", "targets_without_a_way", "targets_with_a_way",
    "returned_is_expected", "help_names_the_animal", "help_shows_the_marks", "no_free_hour", "labels_read_by_day",
    "species_on_the_sheet",
    "level_at_noon",
    "every_window_shut",
    "attic_forgotten", "nickel_without_its_end", "pots_from_zero", "eggs_of_six_nests",
}  # fmt: skip
PLAYABLE = sorted(EXHIBITS.keys() - CANNOT_BE_BUILT - IMPORT_DOES_SOMETHING - SLOW - GOLD_FALLS_SHORT - WITHOUT_SOLVE)


@pytest.mark.parametrize(("folder", "exhibits"), [("broken", BROKEN), ("sound", SOUND)])
def test_the_table_names_every_module_once(folder, exhibits):
    modules = sorted(path.stem for path in (HERE / folder).glob("*.py") if path.stem != "__init__")
    assert sorted(exhibit.name for exhibit in exhibits) == modules


def test_every_group_and_kind_is_there():
    groups = {exhibit.group for exhibit in BROKEN}
    assert groups == {"contract", "score", "episode", "tools", "teaching", "signal", "cost"}
    kinds = {opened(name).traits.kind for name in PLAYABLE}
    assert kinds == {"single-turn", "tools", "multi-turn"}


def test_no_exhibit_is_longer_than_eighty_lines():
    long = [str(path) for path in HERE.glob("*/*.py") if len(path.read_text(encoding="utf-8").splitlines()) > 80]
    assert long == []


def test_every_exhibit_says_what_it_is():
    for path in HERE.glob("*/*.py"):
        assert ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))), path


@pytest.mark.parametrize("name", PLAYABLE)
def test_the_gold_solution_reaches_the_top_on_every_row(name):
    top = opened(name).traits.reward_range[1]
    assert gold_rewards(name) == [pytest.approx(top)] * len(rows_of(name))


@pytest.mark.parametrize("name", sorted(SLOW | (GOLD_FALLS_SHORT - {"streaming_judge"})))
def test_the_others_load_as_they_are(name):
    assert class_of(name).__name__ == EXHIBITS[name].entry_point.partition(":")[2]
