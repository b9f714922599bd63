import asyncio
import json
import pickle

import pytest

from grpo_env_sdk import SingleTurnEnv, Turn, evaluate, load, reward
from grpo_env_sdk.errors import GrpoEnvWarning, UsageError
from grpo_env_sdk.evaluation.compare import RowChange, compare
from grpo_env_sdk.evaluation.error_limit import TooManyErrorsError
from grpo_env_sdk.evaluation.evaluate import Evaluator, start
from grpo_env_sdk.evaluation.plan import EvalPlan, plan_of
from grpo_env_sdk.evaluation.rescore import rescore
from grpo_env_sdk.evaluation.resuming import resume
from grpo_env_sdk.isolation.processes.env_pool import EnvPool
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.runs.reading import EPISODES, MANIFEST, open_run
from tests.environments import ALL, Countdown, Guess, Phonebook

PHONEBOOK = "tests.environments:Phonebook"


@pytest.mark.parametrize("env", ALL)
def test_gold_is_one_and_random_is_low(env):
    assert evaluate(env, "gold", split="all").summary["reward"]["mean"] == 1.0
    assert evaluate(env, "random", split="all").summary["reward"]["mean"] < 0.6


def test_the_held_out_rows_are_measured_unless_others_are_asked_for():
    held_out = evaluate(Countdown, "gold").summary["episodes"]
    assert 1 <= held_out < 19
    assert evaluate(Countdown, "gold", split="train").summary["episodes"] == 19 - held_out


def test_a_notebook_shows_the_summary_as_a_table():
    class Tagged(Phonebook):
        pass

    Tagged.__qualname__ = "<script>"
    shown = evaluate(Tagged, "gold")._repr_html_()
    assert "<td>reward</td><td>1.000" in shown
    assert "<script>" not in shown


def test_the_table_has_groups_causes_cost_and_the_folder_and_an_evaluation_can_be_pickled(tmp_path):
    def fails_once(request):
        assert request.row_index, "first <row>"
        return Turn({"role": "assistant", "content": "3 2 1"}, prompt_tokens=1_000_000)

    found = evaluate(Countdown, fails_once, split="all", rows=2, by="start", prices=(0.5, 1.0), out=tmp_path / "run")
    shown = pickle.loads(pickle.dumps(found))._repr_html_()
    for text in ("start = ", "first &lt;row&gt;", "<td>cost</td><td>0.5000", str(tmp_path / "run")):
        assert text in shown


def test_what_a_cell_ends_with_is_shown_in_a_line(tmp_path):
    loaded = load(Phonebook)
    found = evaluate(loaded, "gold", rows=1, out=tmp_path / "run")
    run, episode = open_run(tmp_path / "run"), found.episodes[0]
    for shown, words in ((run, ["gold", found.env]), (loaded, ["1 tool"]), (loaded.rows(), ["rows: ", "prompt"]),
                         (episode, [found.env, "reward 1.0", "terminated"])):  # fmt: skip
        assert len(repr(shown)) < 200
        assert [word for word in words if word not in repr(shown)] == []
    assert "look_up({" in episode._repr_html_()
    assert "<td>user</td>" in episode._repr_html_()


def test_a_run_says_what_it_measured_and_with_what(tmp_path):
    evaluate(PHONEBOOK, "gold", rows=3, samples=2, out=tmp_path / "r")
    run = open_run(tmp_path / "r")
    manifest = run.manifest
    assert (manifest["env"], manifest["policy"], manifest["rows"], manifest["samples"]) == (PHONEBOOK, "gold", 3, 2)
    assert manifest["source_hash"]
    assert manifest["dataset_fingerprint"]
    assert manifest["versions"]["grpo-env-sdk"]
    assert run.summary()["reward"]["mean"] == 1.0
    assert plan_of(run).samples == 2


@pytest.mark.parametrize(
    ("split", "told"), [("all", "has 19 rows, fewer than 99"), ("train", r"has \d+ train rows, fewer")]
)
def test_fewer_rows_than_asked_for_are_a_warning(split, told):
    with pytest.warns(GrpoEnvWarning, match=told):
        evaluate(Countdown, "gold", split=split, rows=99)


def test_a_run_names_the_pool_that_its_environment_runs_in():
    there = load(PHONEBOOK).with_settings(pool=EnvPool("process"))
    assert Evaluator(there, EvalPlan()).manifest()["plan"]["env_pool"] == "process"


def test_one_row_alone_cannot_be_held_out():
    class One(Countdown):
        def __init__(self):
            super().__init__(longest=2)

    with pytest.raises(UsageError, match=r"has 1 row, so none is held out as test\. Use split='train'"):
        evaluate(One, "gold")


def test_a_hopeless_run_stops_early_with_the_commonest_cause(tmp_path):
    class Broken(Guess):
        def step(self, action):
            raise KeyError("secret")

    with pytest.raises(TooManyErrorsError, match=r"3 of \d episodes failed, 3 by environment step: KeyError") as caught:
        evaluate(Broken, "gold", split="all", max_errors=3, concurrency=1)
    assert "allow more of them: max_errors=N" in caught.value.hint
    with pytest.raises(TooManyErrorsError, match=f"eval --resume {tmp_path / 'r'} --retry-failed"):
        evaluate(Broken, "gold", split="all", max_errors=3, concurrency=1, out=tmp_path / "r")
    with pytest.raises(TooManyErrorsError, match="of 20 episodes"):
        evaluate(Broken, "gold", split="all", max_errors=0.5, samples=2, concurrency=1)
    assert evaluate(Broken, "gold", split="all").summary["errors"] == {"environment step: KeyError": 15}


def test_a_resumed_run_does_exactly_what_is_missing(tmp_path):
    plan = EvalPlan(policy=PolicySpec("random"), split="all", samples=2, concurrency=1)
    whole = Evaluator(load(PHONEBOOK), plan)
    with start(whole, str(tmp_path / "whole"), tmp_path) as writer:
        asyncio.run(whole.run(writer))

    half = Evaluator(load(PHONEBOOK), plan)

    def stop_at_17(episode, tally):
        if tally.episodes == 17:
            half.interrupt()

    with start(half, str(tmp_path / "half"), tmp_path) as writer:
        interrupted = asyncio.run(half.run(writer, stop_at_17))
    assert interrupted.interrupted
    assert open_run(tmp_path / "half").summary() is None

    work, writer = resume(str(tmp_path / "half"))
    with writer:
        finished = asyncio.run(work.run(writer))
    done = [(episode.row_index, episode.sample) for episode in open_run(tmp_path / "half").episodes()]
    assert len(done) == len(set(done)) == 60
    untimed = {key: value for key, value in finished.summary.items() if key not in ("seconds", "run")}
    expected = open_run(tmp_path / "whole").summary()
    assert untimed == {key: value for key, value in expected.items() if key not in ("seconds", "run")}


def test_runs_are_compared_row_by_row(tmp_path):
    before = evaluate(Guess, "random", split="all", out=tmp_path / "before").run
    after = evaluate(Guess, "gold", split="all", out=tmp_path / "after").run
    found = compare(open_run(before), open_run(after))
    assert found.after.mean == 1.0
    assert found.difference.mean == pytest.approx(1.0 - found.before.mean)
    assert found.p_value < 0.01
    assert any(setting.startswith("policy was") for setting in found.settings)
    assert found.as_json(3)["changed_most"][0]["change"] == 1.0


class Numbers(SingleTurnEnv):
    """Say the number."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}.", "answer": str(n)} for n in range(4)]

    @reward
    def right(self, completion, answer):
        return completion == answer

    @reward
    def brief(self, completion):
        return len(completion) < 4

    def solve(self, row):
        return row["answer"]


def test_each_of_several_named_rewards_is_compared(tmp_path):
    for policy in ("echo", "gold"):
        evaluate(Numbers, policy, split="all", out=tmp_path / policy)
    rewards = compare(open_run(tmp_path / "echo"), open_run(tmp_path / "gold")).as_json()["rewards"]
    assert {name: change["difference"]["mean"] for name, change in rewards.items()} == {"right": 1.0, "brief": 1.0}
    same = compare(open_run(tmp_path / "gold"), open_run(tmp_path / "gold"))
    assert [change.difference.mean for change in same.rewards.values()] == [0.0, 0.0]


def test_a_reward_that_only_one_run_has_has_no_difference(tmp_path, monkeypatch):
    evaluate(Numbers, "echo", split="all", out=tmp_path / "before")
    monkeypatch.setattr(Numbers, "polite", reward(lambda self, completion: 0.5), raising=False)
    evaluate(Numbers, "echo", split="all", out=tmp_path / "after")
    found = compare(open_run(tmp_path / "before"), open_run(tmp_path / "after"))
    new = next(change for name, change in found.rewards.items() if name not in ("right", "brief"))
    assert (new.before.mean, new.after.mean, new.difference.mean) == (None, 0.5, None)


def test_a_single_reward_is_the_total_alone(tmp_path):
    run = open_run(evaluate(Guess, "gold", split="all", out=tmp_path / "one").run)
    assert compare(run, run).rewards == {}


def test_runs_of_other_environments_or_rows_are_not_compared(tmp_path):
    one = evaluate(Guess, "gold", split="all", out=tmp_path / "one").run
    other = evaluate(Countdown, "gold", split="all", out=tmp_path / "other").run
    with pytest.raises(UsageError, match="their environments differ"):
        compare(open_run(one), open_run(other))
    test = evaluate(Guess, "gold", split="test", out=tmp_path / "test").run
    train = evaluate(Guess, "gold", split="train", out=tmp_path / "train").run
    with pytest.raises(UsageError, match=r"no scored row in common \(split test and split train\)"):
        compare(open_run(test), open_run(train))


def test_todays_scorer_scores_old_transcripts_and_overwrites_nothing(tmp_path, monkeypatch):
    (tmp_path / "changing.py").write_text(SCORER.format(reward="1.0 / 0"))
    monkeypatch.syspath_prepend(str(tmp_path))
    import changing

    evaluate("changing:Shout", "echo", split="all", out=tmp_path / "old")
    before = (tmp_path / "old/episodes.jsonl").read_bytes()
    assert {episode.reward for episode in open_run(tmp_path / "old").episodes()} == {None}

    changing.Shout.score_episode = lambda self, model, tokenizer, completion: float(completion == "say 1")
    found = rescore(open_run(tmp_path / "old"), tmp_path / "new")
    assert found.summary["reward"]["mean"] == 0.25
    assert (tmp_path / "old/episodes.jsonl").read_bytes() == before
    assert open_run(tmp_path / "new").manifest["rescored_from"] == str(tmp_path / "old")


def test_rescoring_plays_tools_and_limits_again(tmp_path):
    evaluate(PHONEBOOK, "random", split="all", out=tmp_path / "old")
    rescore(open_run(tmp_path / "old"), tmp_path / "new")
    found = compare(open_run(tmp_path / "old"), open_run(tmp_path / "new"))
    assert all(row.change == 0 for row in found.rows)
    assert len(found.rows) == 30


def test_each_episode_of_a_training_that_numbers_its_samples_in_every_batch_is_rescored(tmp_path):
    evaluate(Countdown, "random", split="all", rows=2, samples=4, out=tmp_path / "old")
    run = open_run(tmp_path / "old")
    env, lines = run.manifest["env"], (run.path / EPISODES).read_text().splitlines()
    batches = [json.dumps(line | {"sample": line["sample"] % 2}) + "\n" for line in map(json.loads, lines)]
    (run.path / EPISODES).write_text("".join(batches))
    several = {"environments": {env: {}, "other-v1": {}}, "training": {}}
    (run.path / MANIFEST).write_text(json.dumps(run.manifest | several))
    rescore(open_run(run.path), tmp_path / "new", env=env, trust=True)
    old, new = (sorted(str(one.completion) for one in open_run(tmp_path / name).episodes()) for name in ("old", "new"))
    assert len({*old}) > 4
    assert new == old


def test_an_environment_with_effects_in_the_world_is_not_rescored(tmp_path, monkeypatch):
    (tmp_path / "once.py").write_text(SCORER.format(reward="1.0") + "    replayable = False\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    evaluate("once:Shout", "echo", split="all", out=tmp_path / "old")
    with pytest.raises(UsageError, match="cannot be replayed"):
        rescore(open_run(tmp_path / "old"), tmp_path / "new")


SCORER = """
class Shout:
    def build_dataset(self, tokenizer):
        return [{{"prompt": f"say {{n}}"}} for n in range(4)]

    def score_episode(self, model, tokenizer, completion):
        return {reward}

"""


def test_rounding_is_no_change():
    change = RowChange(0, (0.1 + 0.2 + 0.3) / 3, (0.3 + 0.2 + 0.1) / 3).change
    assert change == 0.0
