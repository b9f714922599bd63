"""The file that says which rows environment code works on."""

import pytest

from grpo_env_sdk import evaluate, load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.evaluation.suspects import explaining, pool_for, suspects_of
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.rollout.process_order import check_pool
from grpo_env_sdk.runs.live_rows import LIVE, LiveRow, LiveRows, forget, left_in, named_rows
from grpo_env_sdk.runs.reading import open_run
from tests.rollout.hostile_envs import ScoresByModel

ROW = LiveRow(2, 0, "score", "hotel-v1")
OTHER = LiveRow(40, 1, "step", "hotel-v1")


def test_rows_are_in_the_file_while_their_code_runs(tmp_path):
    live = LiveRows(tmp_path)
    with live.during(ROW):
        with live.during(OTHER):
            assert left_in(tmp_path) == [ROW, OTHER]
        assert left_in(tmp_path) == [ROW]
    assert left_in(tmp_path) == []
    live.close()
    assert list(tmp_path.iterdir()) == []


def test_an_end_in_good_order_leaves_none_even_where_code_runs_on(tmp_path):
    live = LiveRows(tmp_path)
    with live.during(ROW):
        live.close()
        with live.during(OTHER):
            assert left_in(tmp_path) == []


def test_processes_that_train_together_have_files_of_their_own(tmp_path):
    with LiveRows(tmp_path).during(ROW), LiveRows(tmp_path, 1).during(OTHER):
        assert left_in(tmp_path) == [ROW, OTHER]
        assert [left_in(tmp_path, rank) for rank in range(3)] == [[ROW], [OTHER], []]
        forget(tmp_path)
        assert left_in(tmp_path) == []


def test_a_machine_that_was_started_again_is_no_row_s_doing(tmp_path):
    with LiveRows(tmp_path).during(ROW):
        text = (tmp_path / LIVE).read_text()
        (tmp_path / LIVE).write_text(text.replace(text.split()[0], "another-boot"))
        assert left_in(tmp_path) == []


@pytest.mark.parametrize("junk", [b"", b"\xff" * 300, b"9" * 9000 + b" 0 score x", b"-1 0 score x", b"1 0 \x1b[2J x"])
def test_junk_in_the_file_is_no_row(tmp_path, junk):
    with LiveRows(tmp_path).during(ROW):
        path = tmp_path / LIVE
        path.write_bytes(path.read_bytes() + junk + b"\n")
        assert left_in(tmp_path) == [ROW]


def test_a_line_that_is_longer_than_any_row_is_none(tmp_path):
    with LiveRows(tmp_path).during(ROW):
        with (tmp_path / LIVE).open("a") as file:
            file.write(f"{'9' * 3000} 0 score x\n1 0 {'s' * 100_000} x\n")
        assert left_in(tmp_path) == [ROW]


def test_a_link_is_not_followed(tmp_path):
    (tmp_path / "elsewhere").write_text("kept")
    (tmp_path / LIVE).symlink_to(tmp_path / "elsewhere")
    with LiveRows(tmp_path).during(ROW):
        assert (tmp_path / "elsewhere").read_text() == "kept"
    assert left_in(tmp_path) == []


def test_many_rows_are_named_in_one_line():
    assert named_rows([ROW]) == "row 2 (score)"
    assert named_rows([LiveRow(number, 0, "step", "x") for number in range(20)]).endswith("7 (step) and 12 more")


def test_a_row_with_a_record_is_no_suspect(tmp_path):
    evaluate("arithmetic-v1", "gold", rows=2, out=tmp_path / "run")
    run = open_run(tmp_path / "run")
    recorded = next(run.episodes()).row_index
    with LiveRows(run.path).during(LiveRow(recorded, 0, "close", "arithmetic-v1")):
        assert suspects_of(run) == []
        with LiveRows(run.path, 1).during(LiveRow(recorded, 1, "reset", "arithmetic-v1")):
            assert [row.sample for row in suspects_of(run)] == [1]


def test_suspects_move_a_run_into_processes_unless_they_are_given_up_or_the_user_says_where():
    assert pool_for([], None, (), 8) is None
    assert pool_for([ROW, OTHER], None, [2], 8) == EnvPool("process", 8)
    assert pool_for([ROW, OTHER], None, [2], 8000) == EnvPool("process", 64)
    assert pool_for([ROW, OTHER], None, [2, 40], 8) is None
    assert pool_for([ROW], EnvPool("thread"), (), 8) == EnvPool("thread")


def test_an_environment_that_cannot_run_in_processes_is_refused_with_the_ways_out(tmp_path):
    evaluate("arithmetic-v1", "gold", rows=2, out=tmp_path / "run")
    loaded = load(ScoresByModel)
    loaded.pool = EnvPool("process")
    with (
        pytest.raises(UsageError, match=r"row 2 \(score\).*worker processes.*live model.*--give-up 2\..*thread"),
        explaining([ROW], open_run(tmp_path / "run"), None),
    ):
        check_pool(loaded)
