"""Which rows are trained on, as flags, files and programs say it."""

import numpy
import pytest
import yaml

from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_trl.settings import read_settings, settings_from_arguments

BY_RUN = ["--rows-of", "runs/base", "--pass-rate", "0.1,0.9"]


def chosen(settings):
    return settings.rows, settings.rows_of, settings.pass_rate


def in_file(tmp_path, **config):
    file = tmp_path / "train.yaml"
    file.write_text(yaml.safe_dump({"env": "hotel-v1", **config}))
    return ["--config", str(file)]


def test_a_run_and_a_range_are_set_by_flags_by_a_file_and_by_a_program(tmp_path):
    wanted = (None, "runs/base", (0.1, 0.9))
    assert chosen(read_settings(["hotel-v1", *BY_RUN])) == wanted
    assert chosen(read_settings(in_file(tmp_path, rows_of="runs/base", pass_rate=[0.1, 0.9]))) == wanted
    assert chosen(read_settings(in_file(tmp_path, rows_of="runs/base", pass_rate="0.1,0.9"))) == wanted
    given = {"env": "hotel-v1", "rows_of": "runs/base", "pass_rate": [0.1, 0.9]}
    assert chosen(settings_from_arguments(given, with_env=False)) == wanted
    below_0 = read_settings(["hotel-v1", "--rows-of", "runs/base", "--pass-rate", "-1,0.5"])
    assert below_0.pass_rate == (-1.0, 0.5)


def test_a_list_of_rows_is_set_by_a_file_and_by_a_program(tmp_path):
    assert read_settings(in_file(tmp_path, rows=[9, 3, 9])).rows == (9, 3)
    assert settings_from_arguments({"env": "hotel-v1", "rows": range(3)}, with_env=False).rows == (0, 1, 2)
    assert settings_from_arguments({"env": "hotel-v1", "rows": 3}, with_env=False).rows == 3
    for rows in (numpy.array([9, 3]), {9: 0.5, 3: 0.2}.keys()):
        assert settings_from_arguments({"env": "hotel-v1", "rows": rows}, with_env=False).rows == (9, 3)
    assert settings_from_arguments({"env": "hotel-v1", "rows": numpy.int64(3)}, with_env=False).rows == 3


def test_a_list_of_rows_is_of_the_environment_of_its_file(tmp_path):
    kept = in_file(tmp_path, rows=[3, 9])
    assert read_settings(["hotel-v1", *kept]).rows == (3, 9)
    with pytest.raises(GrpoEnvError, match=r"rows is a list of rows of hotel-v1, and countdown-v1 is trained on"):
        read_settings(["countdown-v1", *kept])
    assert read_settings(["countdown-v1", *kept, "--rows", "20"]).rows == 20
    assert read_settings(["countdown-v1", *in_file(tmp_path, rows=20)]).rows == 20


def test_flags_choose_other_rows_than_a_file(tmp_path):
    kept = in_file(tmp_path, rows=[3, 9], rows_of="runs/old", pass_rate=[0.2, 0.8])
    assert chosen(read_settings(kept)) == ((3, 9), "runs/old", (0.2, 0.8))
    assert chosen(read_settings([*kept, "--rows-of", "runs/new"])) == (None, "runs/new", (0.2, 0.8))
    assert chosen(read_settings([*kept, "--rows", "20"])) == (20, None, None)
    assert chosen(read_settings([*in_file(tmp_path, rows=20), *BY_RUN])) == (None, "runs/base", (0.1, 0.9))


@pytest.mark.parametrize(("words", "told"), [
    (["--rows-of", "runs/base"], "--rows-of needs a pass rate. Add --pass-rate, the lowest"),
    (["--pass-rate", "0.1,0.9"], "--pass-rate needs a run of `grpo-env eval`. Name it: --rows-of RUN"),
    ([*BY_RUN, "--rows", "20"], "--rows and --rows-of both choose the rows to train on. Leave one out"),
    (["--rows-of", "runs/base", "--pass-rate", "0.9,0.1"], "the lower one first, like 0.1,0.9, got 0.9,0.1"),
    (["--rows-of", "runs/base", "--pass-rate", "0.1"], "must be two numbers"),
    (["--rows-of", "runs/base", "--pass-rate", "0.1,nan"], "must be two numbers"),
])  # fmt: skip
def test_half_a_choice_and_two_of_them_are_refused(words, told):
    with pytest.raises(GrpoEnvError) as raised:
        read_settings(["hotel-v1", *words])
    assert told in str(raised.value)


@pytest.mark.parametrize(("given", "told"), [
    ({"rows_of": "runs/base", "pass_rate": (0.1, 0.9), "rows": [3]}, "rows and rows_of both choose the rows"),
    ({"rows_of": 7, "pass_rate": (0.1, 0.9)}, "rows_of is 7. Give the folder of a run"),
    ({"rows_of": "runs/base", "pass_rate": 0.5}, "pass_rate is 0.5. Give two numbers, the lower one first"),
    ({"rows": ["a"]}, "rows must be a number of rows or a list of row indices"),
    ({"rows": 0}, "rows must be at least 1, got 0"),
    ({"rows": 2.5}, "rows must be a whole number, got 2.5"),
    ({"rows": "3"}, "rows must be a whole number, got '3'"),
    ({"rows": []}, "rows must be a number of rows or a list of row indices"),
])  # fmt: skip
def test_a_program_is_told_what_is_wrong(given, told):
    with pytest.raises(GrpoEnvError) as raised:
        settings_from_arguments({"env": "hotel-v1", **given}, with_env=False)
    assert told in str(raised.value)


def test_a_list_in_a_file_that_is_none_is_named_with_the_file(tmp_path):
    words = in_file(tmp_path, rows=[3.5])
    with pytest.raises(GrpoEnvError, match=r"train\.yaml: rows must be a number of rows or a list of row indices"):
        read_settings(words)
