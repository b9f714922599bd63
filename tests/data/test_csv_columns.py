"""Columns of CSV files, whose fields stay as they are written."""

import pytest

from grpo_env_sdk import load_prompts
from grpo_env_sdk.errors import GrpoEnvWarning


def test_whole_numbers_stay_whole_beside_gaps(tmp_path):
    text = "question,answer,level,size\nA?,20,,1.5\nB?,9007199254740993,NA,\nC?,0,3\n"
    (tmp_path / "sums.csv").write_text(text, encoding="utf-8")
    rows = load_prompts(tmp_path / "sums.csv")
    assert (rows["answer"], rows["size"]) == ([20, 9007199254740993, 0], [1.5, None, None])
    assert [repr(level) for level in rows["level"]] == ["None", "None", "3"]


def test_many_gaps_before_the_first_number_are_gaps(tmp_path):
    gaps = "A?,1,,\n" * 10_001
    (tmp_path / "late.csv").write_text(f"question,answer,level,code\n{gaps}B?,2,3,007\n", encoding="utf-8")
    rows = load_prompts(tmp_path / "late.csv")
    assert (rows["level"][-1], rows["code"][-1]) == (3, "007")


def test_a_comma_with_nothing_behind_it_ends_a_row_of_a_csv(tmp_path):
    (tmp_path / "sums.csv").write_text("question,answer\n1 + 1?,2,\n1 + 2?,3\n2 + 2?,4,,\n", encoding="utf-8")
    rows = load_prompts(tmp_path / "sums.csv")
    assert (rows.column_names, rows["answer"]) == (["answer", "prompt"], [2, 3, 4])
    assert rows["prompt"][0] == [{"role": "user", "content": "1 + 1?"}]


def test_digits_behind_a_leading_zero_stay_a_text(tmp_path):
    (tmp_path / "zips.csv").write_text(
        "question,answer,area\nBoston?,02108,1\nDallas?,75201,2\nX?,,3\n", encoding="utf-8"
    )
    with pytest.warns(GrpoEnvWarning, match="has no 'answer'"):
        rows = load_prompts(tmp_path / "zips.csv")
    assert (rows["answer"], rows["area"]) == (["02108", "75201", None], [1, 2, 3])


@pytest.mark.parametrize("code", ["+4917", "1.10", "12345678901234567890", "9223372036854775808"])
def test_digits_that_a_number_would_spell_otherwise_stay_a_text(tmp_path, code):
    (tmp_path / "codes.csv").write_text(f"question,answer,area\nA?,{code},2.0\nB?,7,1.5\n", encoding="utf-8")
    rows = load_prompts(tmp_path / "codes.csv")
    assert (rows["answer"], rows["area"]) == ([code, "7"], [2.0, 1.5])


def test_words_that_look_like_gaps_are_words_among_words_and_gaps_among_numbers(tmp_path):
    (tmp_path / "codes.csv").write_text(
        "question,answer,area,open\nNamibia?,NA,NA,true\nPeru?,PE,2,NA\nNothing?,,3,false\n", encoding="utf-8"
    )
    with pytest.warns(GrpoEnvWarning, match="has no 'answer'"):
        rows = load_prompts(tmp_path / "codes.csv")
    assert (rows["answer"], rows["area"]) == (["NA", "PE", None], [None, 2.0, 3.0])
    assert rows["open"] == [True, None, False]


def test_a_field_longer_than_the_csv_module_takes_is_read(tmp_path):
    (tmp_path / "long.csv").write_text(f"question,answer\n{'a' * 200_000},1\n", encoding="utf-8")
    assert load_prompts(tmp_path / "long.csv")["answer"] == [1]
