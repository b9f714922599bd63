import json
import re
from pathlib import Path

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from grpo_env_wordle import WordleEnv
from grpo_env_wordle.rows import DIFFICULTIES
from grpo_env_wordle.wording import CHOICES, FITTING, RULES
from grpo_env_wordle.words import LETTERS

README = Path(__file__).parent.parent / "README.md"


@pytest.mark.parametrize("letters", LETTERS)
@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_the_gold_solution_scores_one_on_every_row(letters, difficulty, play):
    env = WordleEnv(letters, difficulty)
    for row in env.build_dataset(None, "test"):
        assert play(env, row, env.solve(row)) == pytest.approx(1.0), row
        assert env.turns == row["par"] <= env.max_turns


def test_the_gold_solution_looks_at_what_it_is_told_and_not_at_the_word(rows_of):
    env = WordleEnv(difficulty="normal")
    rows = rows_of("normal")
    assert len({next(env.solve(row)) for row in rows}) == 1
    env.reset(options=rows[0])
    told_of_another = env.solve(rows[1])
    guess = next(told_of_another)
    for _ in range(rows[0]["par"]):
        observation, _, ended, _, _ = env.step(guess)
        guess = guess if ended else told_of_another.send([{"role": "user", "content": observation}])
    assert (ended, guess.lower()) == (True, rows[0]["secret"])


@pytest.mark.parametrize("difficulty", DIFFICULTIES)
def test_gymnasium_finds_nothing_wrong(difficulty):
    check_env(WordleEnv(difficulty=difficulty), skip_render_check=True)


def test_gymnasium_makes_it_by_name(rows_of):
    env = gymnasium.make("grpo_env_sdk.gym:grpo_env/wordle-v1", difficulty="easy")
    check_env(env.unwrapped, skip_render_check=True)
    row = rows_of("easy")[0]
    env.reset(options=row)
    assert env.step(row["secret"])[1:4] == (1.0, True, False)


def test_an_episode_needs_only_the_row_and_no_dataset(play, rows_of):
    row = json.loads(json.dumps(rows_of("hard")[0]))
    assert play(WordleEnv(difficulty="hard"), row, WordleEnv().solve(row)) == pytest.approx(1.0)


def test_a_stored_transcript_scores_again_as_it_did(play, rows_of):
    row, env = rows_of("easy")[0], WordleEnv()
    score = play(env, row, again_and_again(next(word for word in row["choices"] if word != row["secret"])))
    completion = json.loads(json.dumps(env.messages[len(row["prompt"]) :]))
    assert WordleEnv().score_episode(None, None, completion, row=row) == score
    assert score > 0


def again_and_again(text):
    while True:
        yield text


def test_the_code_in_the_readme_runs_and_prints_what_it_says(capsys):
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        exec(block, {})
        expected = "".join(f"{line}\n" for line in re.findall(r"# prints (.*)", block))
        assert capsys.readouterr().out == expected


def test_the_readme_quotes_the_rules_as_they_are():
    quoted = " ".join(README.read_text(encoding="utf-8").replace("\n> ", " ").split())
    assert RULES.format(letters=5, guesses=6) in quoted
    assert CHOICES.partition("{")[0].strip() in quoted
    assert FITTING.strip() in quoted
