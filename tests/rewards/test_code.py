import pytest

from grpo_env_sdk import SingleTurnEnv, evaluate
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import python_tests
from grpo_env_sdk.rewards.code import code_in

TESTS = ["assert double(2) == 4", "assert double('ab') == 'abab'", "assert double(0) == 0"]
RIGHT = "def double(x):\n    return x + x\n"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x = 1", "x = 1"),
        ("So:\n```python\nx = 1\n```\ndone", "x = 1\n"),
        ("```\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 0\n```\nno:\n```py\nx = 1\n```", "x = 1\n"),
        ("```python\nx = 1", "x = 1"),
        ("~~~python\nx = 1\n~~~", "x = 1\n"),
        ("```python\ndef f(): pass\n```\nUse:\n```python\nprint(f())\n```\n```\n1\n```", "def f(): pass\n"),
        ("```json\n{}\n```", "```json\n{}\n```"),
        ('```python title="a.py"\nx = 1\n```', "x = 1\n"),
        ("``` {.python .numbered}\nx = 1\n```", "x = 1\n"),
        ("```{python}\nx = 1\n```", "x = 1\n"),
        ("```python  # solution\nx = 1\n```\n```c++\nint x;\n```", "x = 1\n"),
        ("So:\r\n```python\r\nx = 1\r\n```\r\n", "x = 1\r\n"),
        ("```python\nx = 1\n```\n```python-repl\n>>> x\n```", "x = 1\n"),
    ],
)
def test_the_code_is_the_last_fenced_block_or_all_of_the_answer(text, code):
    assert code_in(text) == code


def test_all_tests_or_the_share_that_passes():
    whole, share = python_tests(sandbox="none"), python_tests(partial=True, sandbox="none")
    assert (whole(RIGHT, TESTS), share(RIGHT, TESTS)) == (1.0, 1.0)
    assert whole("def double(x): return 2 * 2", TESTS) == 0.0
    assert share("def double(x): return 2 * 2", TESTS) == pytest.approx(1 / 3)
    assert share("no code at all", TESTS) == 0.0
    assert whole(RIGHT, "\n".join(TESTS)) == 1.0


def test_a_script_prints_what_it_should():
    tests = [{"input": "1 2", "output": "3\n"}, {"input": "2 2", "output": "4"}]
    share = python_tests(partial=True, sandbox="none")
    assert share("print(sum(map(int, input().split())), end='  \\n\\n')", tests) == 1.0
    assert share("print(4)", tests) == 0.5
    assert share("print(4); raise SystemExit(1)", [{"input": "", "output": "4"}]) == 1.0


def test_a_row_s_tests_and_entry_point_come_from_its_columns():
    class Code(SingleTurnEnv):
        rewards = (python_tests("test", entry_point="name", sandbox="none"),)

        def build_dataset(self, tokenizer):
            test = "def check(candidate):\n    assert candidate(2) == 4"
            return [{"prompt": "Write double.", "test": test, "name": "double"}] * 2

        def solve(self, row):
            return f"```python\n{RIGHT}```"

    result = evaluate(Code(), "gold", split="all")
    assert [episode.reward for episode in result.episodes] == [1.0, 1.0]


@pytest.mark.parametrize(
    "test", ["", "# none", "pass", "x = 1", "def test_a():\n    pass", "def check(candidate):\n    assert candidate(2)"]
)
def test_a_test_that_would_assert_nothing_is_refused(test):
    with pytest.raises(ConfigError, match=r"asserts nothing|entry_point"):
        python_tests(sandbox="none")("def double(x): return 0", [test])


def test_tests_may_be_json_as_text():
    share = python_tests(partial=True, sandbox="none")
    assert share(RIGHT, '["assert double(2) == 4", "assert double(2) == 5"]') == 0.5


@pytest.mark.parametrize("tests", [None, [], 3, [1], ["assert True", {"input": "", "output": ""}], [{"input": ""}]])
def test_tests_of_another_form_are_refused_with_the_value(tests):
    with pytest.raises(ConfigError, match=r"python_tests got .* as tests"):
        python_tests(sandbox="none")(RIGHT, tests)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sandbox": "docker"}, "'docker'.*bubblewrap"),
        ({"seconds": 0}, "seconds is 0"),
        ({"memory_mb": float("nan")}, "memory_mb is nan"),
    ],
)
def test_options_that_cannot_be_are_refused(options, message):
    with pytest.raises(ConfigError, match=message):
        python_tests(**options)
