"""Values whose methods raise, hang or lie, and values that change after they were returned: one episode at most."""

import threading

import pytest

from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv, ToolEnv, call_message, evaluate, open_run, reward, tool
from grpo_env_sdk.data.plain_data import plain_data
from grpo_env_sdk.errors import ContractError
from grpo_env_sdk.isolation.calls.deadline import ForeignExitError, as_exception
from grpo_env_sdk.rollout.commands import Limits
from grpo_env_sdk.types import Message

ACTS = {"exit": SystemExit, "interrupt": KeyboardInterrupt, "hang": lambda: threading.Event().wait(60)}
_act = ACTS["exit"]


def act(self, *args, **named):
    found = _act()
    if isinstance(found, BaseException):
        raise found
    return ""


def acting(kind, *names):
    """A subclass whose methods act, as soon as one is called."""
    return type(f"Acting{kind.__name__}", (kind,), {"__hash__": kind.__hash__, **dict.fromkeys(names, act)})


_COMPARED = ("__eq__", "__lt__", "__le__", "__gt__", "__bool__", "__repr__")
Text = acting(str, "__str__", "__len__", "isascii", "encode", "__format__", "strip", "__contains__", *_COMPARED)
Number = acting(float, "__float__", "__add__", "__radd__", "__mul__", "__rmul__", *_COMPARED)
Whole = acting(int, "__float__", "__int__", "__index__", "bit_length", *_COMPARED)
Items = acting(list, "__iter__", "__len__", "__getitem__", *_COMPARED)
Names = acting(dict, "items", "keys", "get", "__iter__", "__getitem__", "__contains__", *_COMPARED)
Thing = type("Thing", (), {"__class__": property(act), "__repr__": act, "__float__": act})
VALUES = {
    "text": Text("x"), "number": Number(0.5), "whole": Whole(1), "items": Items(["x"]), "names": Names(a=1),
    "thing": Thing(),
}  # fmt: skip


class Odd(MultiTurnEnv):
    """The second of three rows gives the odd value in one of its places."""

    place = odd = ""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}", "number": number} for number in range(3)]

    def solve(self, row):
        yield {"role": "assistant", "content": self.at("solve", "ok", row)}

    def at(self, place, usual, row=None):
        return VALUES[self.odd] if self.place == place and (row or self.row)["number"] == 1 else usual

    def step(self, action):
        shown: Message = {"role": "user", "content": self.at("content", "x"), "more": self.at("more", 1)}
        info = {"metrics": {"m": self.at("metric", 1.0)}, "stop_reason": self.at("stop", "max_turns")}
        info["metrics"] = self.at("metrics", info["metrics"])
        return [shown], self.at("reward", 1.0), False, self.at("truncated", True), info


class OddTools(ToolEnv):
    """The same in a tool and in the words of a user."""

    place = odd = ""
    build_dataset, at = Odd.build_dataset, Odd.at

    def solve(self, row):
        yield call_message("look")
        yield "done"

    @tool
    def look(self):
        """Look."""
        return self.at("tool", "seen")

    def user(self, messages):
        return self.at("user", None)

    @reward
    def right(self, completion):
        return 1.0


class OddScore(SingleTurnEnv):
    """The same as a score."""

    place = odd = ""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Row {number}", "number": number} for number in range(3)]

    def solve(self, row):
        return "ok"

    @reward
    def right(self, completion, number):
        return VALUES[self.odd] if number == 1 else 1.0


PLACES = {
    **dict.fromkeys(("solve", "content", "more", "metric", "metrics", "stop", "reward", "truncated"), Odd),
    **dict.fromkeys(("tool", "user"), OddTools), "score": OddScore,
}  # fmt: skip


def played(monkeypatch, kind, place, odd, **more):
    monkeypatch.setattr(f"{__name__}._act", ACTS[kind])
    env = type(PLACES[place].__name__, (PLACES[place],), {"place": place, "odd": odd})
    found = evaluate(env, "gold", split="all", **more)
    assert found.summary["episodes"] == 3
    assert {episode.row_index for episode in found.episodes if episode.scored} >= {0, 2}
    return next(episode for episode in found.episodes if episode.row_index == 1)


@pytest.mark.parametrize("odd", VALUES)
@pytest.mark.parametrize("place", PLACES)
def test_an_odd_value_costs_at_most_its_own_episode(monkeypatch, tmp_path, odd, place):
    for kind in ("exit", "interrupt"):
        played(monkeypatch, kind, place, odd, out=tmp_path / kind)
        assert len(list(open_run(tmp_path / kind).episodes())) == 3


@pytest.mark.parametrize(("place", "odd"), [("score", "number"), ("metric", "whole"), ("more", "thing")])
def test_one_that_never_comes_back_is_a_timeout_of_its_call(monkeypatch, place, odd):
    episode = played(monkeypatch, "hang", place, odd, limits=Limits(call_seconds=1.0))
    assert episode.stop_reason == "timeout"


class Keeps(MultiTurnEnv):
    """Changes what it returned, and what it was shown, in the step after."""

    def build_dataset(self, tokenizer):
        return [{"prompt": "Row"}]

    def solve(self, row):
        self.said = {"role": "assistant", "content": [{"type": "text", "text": "said"}]}
        answered = yield self.said
        answered[0]["content"][0]["text"] = row["prompt"] = self.said["content"][0]["text"] = "forged"
        yield "end"

    def reset(self, *, seed=None, options=None):
        self.shown = [{"role": "user", "content": [{"type": "text", "text": "opening"}], "more": {"a": [1]}}]
        super().reset(seed=seed, options=options)
        return self.shown, {}

    def step(self, action):
        self.shown[0]["content"][0]["text"] = "forged"
        self.shown[0]["more"]["a"].append("forged")
        self.shown = [{"role": "user", "content": [{"type": "text", "text": f"step {self.turns}"}], "more": {"a": []}}]
        return self.shown, 1.0, self.turns == 2, False, {}

    def close(self):
        if self.turns == 2:
            self.shown[0]["content"][0]["text"] = "forged"


def test_what_was_returned_is_kept_as_it_was(tmp_path):
    evaluate(Keeps, "gold", split="all", out=tmp_path / "run")
    kept = (tmp_path / "run/episodes.jsonl").read_text()
    assert "forged" not in kept
    assert all(text in kept for text in ("opening", "said", "step 1", "step 2"))


class LooksAround(OddTools):
    """A tool that writes into the transcript which it can read."""

    @tool
    def look(self):
        """Look."""
        for message in self.messages:
            message["content"] = "forged"
        return "seen"


def test_a_tool_cannot_change_the_transcript(tmp_path):
    evaluate(LooksAround, "gold", split="all", out=tmp_path / "run")
    assert "forged" not in (tmp_path / "run/episodes.jsonl").read_text()


def test_an_image_that_is_drawn_on_later_is_kept_as_it_was():
    image_of = pytest.importorskip("PIL.Image").new
    canvas = image_of("RGB", (2, 2))
    (kept,) = plain_data([canvas])
    canvas.putpixel((0, 0), (9, 9, 9))
    assert kept.getpixel((0, 0)) == (0, 0, 0)


def test_subclasses_become_what_they_are_made_of(monkeypatch):
    monkeypatch.setattr(f"{__name__}._act", ACTS["exit"])
    made = {Text("key"): [Text("x"), Number(0.5), Whole(3), Names(a=(1, Items([2])))], None: b"x"}
    found = plain_data(made)
    assert found == {"key": ["x", 0.5, 3, {"a": (1, [2])}], None: b"x"}
    assert [type(item) for item in found["key"]] == [str, float, int, dict]
    assert plain_data(Thing()) == "<Thing>"


def test_what_has_no_end_and_keys_that_are_no_text_are_refused():
    endless: list = []
    endless.append(endless)
    for odd in (endless, {"a": {(1, 2): 3}}):
        with pytest.raises(ContractError, match="cannot be written as JSON"):
            plain_data(odd)


def test_an_error_that_acts_as_it_is_read_is_read_once(monkeypatch):
    monkeypatch.setattr(f"{__name__}._act", ACTS["exit"])
    for name in ("__class__", "__traceback__", "__cause__"):
        found = as_exception(type("Acts", (ValueError,), {name: property(act)})("text"))
        assert type(found) is ForeignExitError
        assert "Acts: text" in str(found)
    usual = ValueError("text")
    assert as_exception(usual) is usual
