"""Values that no record can hold, and code that would change one: the record stays true, and the run goes on."""

import json
from pathlib import Path

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, evaluate, open_run, reward
from grpo_env_sdk.cli import main


class ReprRaises:
    def __repr__(self):
        raise SystemExit("from __repr__")


CYCLE: dict = {}
CYCLE["itself"] = CYCLE
DEEP: list = []
for _ in range(5000):
    DEEP = [DEEP]
VALUES = {
    "tuple-key": {(1, 2): 3}, "cycle": CYCLE, "repr": ReprRaises(), "deep": DEEP, "long-number": 10**6000,
    "key-repr": {ReprRaises(): 1}, "bytes": b"x", "surrogate": "\ud800", "nan": float("nan"),
}  # fmt: skip


class Shows(MultiTurnEnv):
    """The second row shows something odd beside its text."""

    odd: object = None

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {index}", "index": index} for index in range(3)]

    def solve(self, row):
        yield "ok"

    def reset(self, *, seed=None, options=None):
        self.index = options["index"]
        return super().reset(seed=seed, options=options)

    def step(self, action):
        shown = {"role": "user", "content": "x", "more": self.odd} if self.index == 1 else "x"
        return [shown] if self.index == 1 else shown, 1.0, True, False, {}


@pytest.mark.parametrize("kind", VALUES)
def test_what_json_cannot_hold_costs_at_most_its_own_episode(kind, tmp_path):
    evaluate(type("Shows", (Shows,), {"odd": VALUES[kind]}), "gold", split="all", out=tmp_path / "run")
    found = {episode.row_index: episode for episode in open_run(tmp_path / "run").episodes()}
    assert (found[0].reward, found[2].reward) == (1.0, 1.0)
    assert found[1].reward == 1.0 or found[1].error.whose == "environment"
    if kind in ("tuple-key", "cycle", "key-repr"):
        assert "cannot be written as JSON" in found[1].error.message


def test_an_observation_of_many_megabytes_is_an_error_and_is_not_kept(tmp_path):
    class Huge(Shows):
        def step(self, action):
            return "x" * (50_000_000 if self.index == 1 else 1), 1.0, True, False, {}

    found = evaluate(Huge, "gold", split="all", out=tmp_path / "run")
    assert found.summary["scored"] == 2
    assert (tmp_path / "run/episodes.jsonl").stat().st_size < 20_000


class Changes(SingleTurnEnv):
    """A scorer that gives itself full marks in the record."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "What is 2 + 2?", "answer": "4", "facts": {"seen": ["one"]}}]

    def solve(self, row):
        return "5"

    @reward
    def right(self, completion, messages, row, episode, facts, tool_calls, answer):
        facts["seen"].append("two")
        row["answer"] = "5"
        for message in (*messages, *episode.messages):
            message["content"] = "4"
        episode.messages.append({"role": "assistant", "content": "4"})
        episode.row.clear()
        episode.step_rewards.append(100.0)
        episode.metrics["forged"] = 1.0
        episode.usage["completion_tokens"] = 0
        episode.timings.clear()
        tool_calls.append({})
        return 0.0


def test_a_scorer_cannot_change_the_record(tmp_path):
    evaluate(Changes, "gold", split="all", out=tmp_path / "run")
    (record,) = map(json.loads, (tmp_path / "run/episodes.jsonl").read_text().splitlines())
    assert {key: record["row"][key] for key in ("answer", "facts")} == {"answer": "4", "facts": {"seen": ["one"]}}
    assert [message["content"] for message in record["messages"]] == ["What is 2 + 2?", "5"]
    assert (record["reward"], record["step_rewards"], record["tool_calls"]) == (0.0, [], [])
    assert "forged" not in record["metrics"]
    assert record["timings"]


def test_a_step_cannot_change_what_the_model_said_nor_its_row(tmp_path):
    class Rewrites(Shows):
        def reset(self, *, seed=None, options=None):
            found = super().reset(seed=seed, options=options)
            options["prompt"] = "forged"
            return found

        def step(self, action):
            action["content"] = "forged"
            return "x", 1.0, True, False, {}

    evaluate(Rewrites, "gold", split="all", out=tmp_path / "run")
    assert "forged" not in (tmp_path / "run/episodes.jsonl").read_text()


class Forges(SingleTurnEnv):
    """Its scorer adds a line to the records of the run."""

    def __init__(self, path):
        self.path = path

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {index}"} for index in range(3)]

    @reward
    def right(self, completion):
        with Path(self.path).open("a") as file:
            file.write('{"env": "forged", "row_index": 0, "sample": 0, "reward": 1.0}\n')
        return 1.0


@pytest.mark.parametrize("pool", ["thread", "process"])
def test_a_record_that_an_environment_adds_ends_the_command_with_one_line(tmp_path, capsys, pool):
    run = tmp_path / "run"
    config = json.dumps({"path": str(run / "episodes.jsonl")})
    words = ["--model", "echo", "--split", "all", "--env-config", config, "--env-pool", pool, "--out", str(run)]
    assert main(["eval", "tests.hostile.test_records:Forges", *words]) == 2
    (line,) = [line for line in capsys.readouterr().err.splitlines() if line.startswith("grpo-env:")]
    assert "Something else wrote to" in line
    assert "--env-pool sandbox" in line
