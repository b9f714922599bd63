from grpo_env_code import CodeEnv
from grpo_env_code.rows import TESTS, all_tasks, make_rows


def test_every_task_is_in_one_split():
    words = [
        {row["prompt"][0]["content"].splitlines()[0] for row in make_rows(split, 0)}
        for split in ("train", "test")
    ]
    assert not words[0] & words[1]
    assert len(words[0] | words[1]) == len(all_tasks())
    assert len(words[1]) > 150


def test_gold_passes_the_tests_of_every_row():
    for row in make_rows("train", 0) + make_rows("test", 1):
        namespace = {}
        exec(row["code"], namespace)
        for test in row["tests"]:
            exec(test, namespace)
        assert len(row["tests"]) == TESTS
        assert row["code"] in CodeEnv().solve(row)


def test_another_seed_gives_another_order_and_other_numbers():
    first, second = make_rows("test", 0), make_rows("test", 1)
    assert {row["code"] for row in first} == {row["code"] for row in second}
    assert [row["code"] for row in first] != [row["code"] for row in second]
    assert {test for row in first for test in row["tests"]} != {
        test for row in second for test in row["tests"]
    }


def test_no_test_repeats_the_example():
    for row in make_rows("train", 0):
        example = row["prompt"][0]["content"].split("example, ")[1].split(" returns")[0]
        assert not any(example in test for test in row["tests"])
