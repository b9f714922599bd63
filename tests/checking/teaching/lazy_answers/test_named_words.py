"""G505: words that all prompts name, alone as the answer."""

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.teaching.lazy_answers.guessing import no_fixed_answer_is_gold
from tests.checking.trying import found
from tests.gallery.broken.switched_off_before_the_check import Robot, RobotPrograms


class QuotedOff(RobotPrograms):
    """The command is named in code marks, in small letters."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(tokenizer)
        names = ("FORWARD", "LEFT", "RIGHT", "OFF")
        for row in rows:
            for name in names:
                row["prompt"] = row["prompt"].replace(name, f"`{name.lower()}`")
        return rows


class LooksItself(RobotPrograms):
    """Sound: the scorer looks at the robot when the program has ended."""

    @reward
    def arrives(self, completion, east, north):
        robot = Robot()
        try:
            robot.run(answer_text(completion))
        except (AttributeError, TypeError):
            return 0.0
        return robot.at == complex(east, north)


class NoneOfThem(SingleTurnEnv):
    """Sound: a word that the prompt names is right on some rows."""

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Which of {n}, {n + 3} and {n + 7} is a multiple of 5? Say NONE if there is none.", "n": n}
            for n in range(11, 51)
        ]

    @reward
    def right(self, completion, n):
        return answer_text(completion) == self.solve({"n": n})

    def solve(self, row):
        return next((str(row["n"] + more) for more in (0, 3, 7) if (row["n"] + more) % 5 == 0), "NONE")


@pytest.mark.parametrize("env", [RobotPrograms, QuotedOff])
def test_a_command_of_all_prompts_that_scores_alone_is_an_error(env):
    (finding,) = [item for item in found(no_fixed_answer_is_gold, env) if hasattr(item, "severity")]
    assert (finding.severity, finding.input.lower(), finding.output["reward"]) == ("error", "off", 1.0)


@pytest.mark.parametrize("env", [LooksItself, NoneOfThem])
def test_commands_that_do_nothing_and_words_for_some_rows_are_let_be(env):
    assert [item for item in found(no_fixed_answer_is_gold, env) if hasattr(item, "severity")] == []
