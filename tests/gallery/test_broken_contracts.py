"""The mistakes of the groups contract and cost, each proven by hand."""

import os
import pickle
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import pytest

from grpo_env_sdk.errors import DatasetError, UnknownNameError
from grpo_env_sdk.types import row_seed
from tests.gallery.playing import EXHIBITS, class_of, opened, rows_of

ROOT = Path(__file__).parents[2]


def in_another_process(code, cwd=ROOT, **variables):
    environment = os.environ | {"PYTHONPATH": str(ROOT)} | variables
    done = subprocess.run([sys.executable, "-c", code], cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def begun(name, count=1):
    """Instances of an exhibit, each in an episode of the first row."""
    row = rows_of(name)[0]
    made = [class_of(name)() for _ in range(count)]
    for env in made:
        env.reset(seed=row_seed(row), options=row)
    return made


def test_the_sums_differ_in_every_build():
    env = class_of("shuffled_sums")()
    assert env.build_dataset(None) != env.build_dataset(None)


def test_the_words_of_a_set_come_in_another_order_under_another_hash_seed():
    code = (
        "import tests.gallery.broken.words_of_a_set as m; print([r['prompt'] for r in m.WordOrder().build_dataset(0)])"
    )
    one, two, again = (in_another_process(code, PYTHONHASHSEED=seed) for seed in "121")
    assert one != two
    assert one == again


def test_no_row_has_the_column_that_the_scorer_wants():
    with pytest.raises(UnknownNameError, match="'target'"):
        rows_of("missing_column")


def test_the_first_word_listed_is_right():
    rows = rows_of("first_of_three")
    assert [row["prompt"].partition(": ")[2].partition(",")[0] for row in rows] == [row["answer"] for row in rows]


def test_the_longest_option_is_right():
    for row in rows_of("longest_sentence"):
        options = row["prompt"].splitlines()[1:-1]
        assert max(options, key=len)[0] == row["answer"]


def test_five_files_in_six_are_named_like_their_kind():
    rows = rows_of("file_beside_labels")
    assert sum(row["prompt"].startswith(f"File: {row['kind']}_") for row in rows) == 50 == len(rows) * 5 / 6


def test_test_rows_stand_among_the_training_rows():
    train = {row["prompt"] for row in rows_of("overlapping_splits", "train")}
    test = [row["prompt"] for row in rows_of("overlapping_splits", "test")]
    assert len(train.intersection(test)) > 20


@pytest.mark.parametrize(
    ("name", "probe"),
    [
        ("seeds_at_import", "random.getstate()[1][:3]"),
        ("cache_at_import", "os.listdir()"),
        ("alarm_at_import", "str(signal.getsignal(signal.SIGALRM))[:9]"),
    ],
)
def test_importing_it_changes_the_process(name, probe, tmp_path):
    code = f"import os, random, signal; b = {probe}; import tests.gallery.broken.{name} as m; print(b != {probe})"
    assert in_another_process(code, cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1") == "True\n"


@pytest.mark.slow
def test_apart_from_what_their_imports_do_gold_is_right(tmp_path):
    paths = [EXHIBITS[name].entry_point for name in ("seeds_at_import", "cache_at_import", "alarm_at_import")]
    code = (
        f"from grpo_env_sdk import evaluate\nprint([evaluate(path, split='all').tally.reward.mean for path in {paths}])"
    )
    assert in_another_process(code, cwd=tmp_path) == "[1.0, 1.0, 1.0]\n"


def test_a_second_build_has_every_row_twice():
    env = class_of("grown_dataset")()
    assert len(env.build_dataset(None)) == 199
    assert len(env.build_dataset(None)) == 398


def test_one_prompt_has_several_answers():
    rows = rows_of("ambiguous_prompts")
    assert len(rows) == 240
    assert len({row["prompt"] for row in rows}) == 80
    assert len({(row["prompt"], row["answer"]) for row in rows}) == 240


def test_most_rows_come_more_than_once_and_agree():
    rows = rows_of("repeated_prompts")
    prompts = {row["prompt"] for row in rows}
    assert len(prompts) < len(rows) / 4
    assert len({(row["prompt"], row["answer"]) for row in rows}) == len(prompts)


def test_the_system_message_comes_third():
    assert [message["role"] for message in rows_of("late_system_message")[0]["prompt"]][2] == "system"


def test_an_instance_with_lambdas_cannot_be_pickled():
    with pytest.raises((pickle.PicklingError, AttributeError), match=r"[Ll]ocal|lambda"):
        pickle.dumps(class_of("lambda_in_state")())


def test_the_last_prompt_is_empty():
    with pytest.raises(DatasetError, match="row 10: the prompt is empty"):
        rows_of("blank_last_row")


def test_each_score_leaves_a_descriptor_open():
    env, row, before = class_of("left_descriptor")(), rows_of("left_descriptor")[0], open_tables()
    for _ in range(5):
        assert env.reads_back("no, such line", row["fields"]) is False
    left = open_tables() - before
    for descriptor in left:
        os.close(descriptor)
    assert len(left) == 5


def open_tables():
    """The descriptors of this process that are of a CSV file."""
    return {int(link.name) for link in Path("/proc/self/fd").iterdir() if ".csv" in os.path.realpath(link)}


def test_each_reset_leaves_a_thread_running():
    before = set(threading.enumerate())
    made = begun("heartbeat_thread", 3)
    for env in made:
        env.close()
    assert len(set(threading.enumerate()) - before) == 3
    for env in made:
        env.over.set()


def test_each_reset_leaves_a_folder_behind(tmp_path, monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    for env in begun("workspaces_left", 3):
        env.close()
    assert len(list(tmp_path.iterdir())) == 3


def test_each_reset_keeps_another_snapshot_for_good():
    shelves = class_of("kept_snapshots")
    before = len(shelves.snapshots)
    begun("kept_snapshots", 3)
    assert len(shelves.snapshots) == before + 3
    assert sys.getsizeof(shelves.snapshots[-1]) > 30_000
    shelves.snapshots.clear()


def test_each_row_costs_40_milliseconds(slept):
    articles = class_of("slow_rows")
    assert articles().rows == 300
    articles(rows=3).build_dataset(None)
    assert slept == [0.04] * 3


def test_scoring_waits(slept):
    env, row = class_of("waits_in_score")(), rows_of("waits_in_score")[0]
    assert env.right("ASAP", row["phrase"]) is True
    assert slept == [0.3]


def test_the_async_scorer_never_lets_the_event_loop_go(slept):
    loaded = opened("blocking_async")
    work = loaded.env.score_episode(None, None, "mouse", "mouse")
    with pytest.raises(StopIteration) as done:
        work.send(None)  # an await that waits would come back here before its end
    assert done.value.value == 1.0
    assert slept == [0.25]


def test_a_completion_that_is_alone_is_always_unlike_the_others():
    from tests.gallery.broken.rhymes_unlike_the_others import unlike_the_others

    assert unlike_the_others(["hat"], ["cat"]) == [1.0]
    assert unlike_the_others(["hat", "mat", "hat"], ["cat"] * 3) == [0.5, 1.0, 0.5]
