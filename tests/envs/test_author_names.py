"""Authors may name attributes and methods as they like: the SDK keeps its books under one name of its own."""

import copy
import pickle

import pytest
from gymnasium.utils.env_checker import check_env

from grpo_env_sdk import MultiTurnEnv, ToolEnv, call_message, evaluate, reward, tool

NATURAL = [
    "turns", "messages", "message", "history", "state", "rows", "row", "done", "step_count", "opening", "tools",
    "toolbox", "tool_calls", "step_rewards", "episode", "score", "running", "inside", "seed", "fresh", "follow",
    "note_outcome", "episode_so_far", "scored_by_caller", "made_with", "injected", "books", "begin", "end", "prompt",
    "name",
]  # fmt: skip
NAMES = NATURAL + [f"_{name}" for name in NATURAL]


class Named:
    """Assigns an attribute of one name wherever an author's code runs, and counts in it."""

    attribute = "harmless"

    def __init__(self):
        setattr(self, self.attribute, -1)

    def setup(self, row):
        setattr(self, self.attribute, 0)

    def reset(self, *, seed=None, options=None):
        setattr(self, self.attribute, "before")
        observation = super().reset(seed=seed, options=options)
        assert getattr(self, self.attribute) == 0  # as `setup` left it
        return observation

    def count(self):
        """One more, which no code of the SDK's may have changed since."""
        setattr(self, self.attribute, getattr(self, self.attribute) + 1)
        return getattr(self, self.attribute)


class Door(Named, MultiTurnEnv):
    """Knock three times; every knock is answered with how many there were."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Knock {n} times.", "knocks": n} for n in (1, 2, 3)]

    def setup(self, row):
        super().setup(row)
        self.left = row["knocks"]

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)

    def step(self, action):
        self.left -= action["content"] == "knock"
        return f"That was number {self.count()}.", 0.25, self.left == 0, False, {}

    @reward
    def opened(self, row, episode, messages):
        return self.left == 0 and episode.turns == row["knocks"] and len(messages) == 1 + 2 * row["knocks"]

    def solve(self, row):
        return ["knock"] * row["knocks"]


class Shelf(Named, ToolEnv):
    """Take what is asked for from a shelf."""

    max_turns = 4

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Take {n} books.", "wanted": n} for n in (1, 2)]

    def reset(self, *, seed=None, options=None):
        return super().reset(seed=seed, options=options)

    @tool
    def take(self) -> str:
        """Take one more."""
        return f"You have {self.count()}."

    @reward
    def right(self, row, tool_calls, completion):
        return len(tool_calls) == row["wanted"] and completion.endswith("Done.")

    def solve(self, row):
        for _ in range(row["wanted"]):
            yield call_message("take")
        yield "Done."


KINDS = (Door, Shelf)


def named(cls, name):
    """The class, which assigns `name` as its attribute."""
    return type(cls.__name__, (cls,), {"attribute": name, "__module__": __name__})


def untimed(value):
    return {key: item for key, item in value.as_json().items() if key not in ("timings", "tool_calls")} | {
        "tool_calls": [{**call, "seconds": 0.0} for call in value.tool_calls]
    }


def everything(cls):
    """Episodes driven, stepped by hand (a copy made midway too) and replayed: scores and transcripts."""
    found = [untimed(episode) for episode in evaluate(cls, "gold", split="all").episodes]
    for row in cls().build_dataset(None):
        env = cls()
        assert getattr(env, cls.attribute) == -1
        observations = [env.reset(seed=1, options=row)]
        for said in list(env.solve(row)):
            observations.append(env.step(said))
            env = copy.deepcopy(env)
        completion = [message for message in evaluated(found, row)["messages"] if message["role"] != "system"][1:]
        found.append({"stepped": observations, "replayed": cls().score_episode(None, None, completion, **row)})
    return found


def evaluated(found, row):
    return next(episode for episode in found if episode.get("row", {}).get("prompt") == row["prompt"])


@pytest.fixture(scope="module")
def harmless():
    return {cls: everything(named(cls, "harmless")) for cls in KINDS}


@pytest.mark.parametrize("cls", KINDS)
def test_the_harmless_episodes_are_whole(cls, harmless):
    scores = [item["replayed"] if "replayed" in item else item["reward"] for item in harmless[cls]]
    assert scores == ([1.25, 1.5, 1.75] * 2 if cls is Door else [1.0] * 4)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("cls", KINDS)
def test_an_attribute_of_any_name_changes_nothing(cls, name, harmless):
    assert everything(named(cls, name)) == harmless[cls]


@pytest.mark.parametrize("name", NATURAL)
@pytest.mark.parametrize("cls", KINDS)
def test_a_method_or_constant_of_any_name_changes_nothing(cls, name, harmless):
    def method(self, *given):
        raise AssertionError(f"the SDK called the author's {name}")

    for value in (method, "a constant", property(method)):
        own = type(cls.__name__, (cls,), {"__module__": __name__, name: value})
        assert everything(own) == harmless[cls]


def test_what_the_base_class_offers_can_be_read_until_an_author_hides_it():
    class Own(Door):
        def setup(self, row):
            super().setup(row)
            self.row = {"prompt": "another", "knocks": 99}

    env = Door()
    assert (env.turns, env.messages, env.row) == (0, [], {})
    row = {"prompt": "Knock 2 times.", "knocks": 2}
    env.reset(options=row)
    env.step("knock")
    assert (env.turns, len(env.messages), env.row) == (1, 3, row)
    other = Own()
    other.reset(options=row)
    assert other.row["knocks"] == 99
    other.step("knock")
    assert other.step("knock")[4]["score"] == 1.5  # by the row of the episode


@pytest.mark.parametrize("name", ["turns", "_messages", "toolbox"])
@pytest.mark.parametrize("cls", KINDS)
def test_gymnasiums_own_checker_finds_nothing(cls, name):
    check_env(named(cls, name)(), skip_render_check=True)


def test_a_copy_has_books_of_its_own():
    row = {"prompt": "Knock 3 times.", "knocks": 3}
    env = Door()
    env.reset(options=row)
    for other in (copy.copy(env), copy.deepcopy(env), pickle.loads(pickle.dumps(env))):
        other.step("knock")
        assert (env.turns, other.turns) == (0, 1)
        assert (len(env.messages), len(other.messages)) == (1, 3)
