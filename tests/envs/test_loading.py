"""The one place that makes an environment, validates it, and says what it is."""

import copy
import importlib
import os
import re
import sys
import threading
import time
from types import ModuleType, SimpleNamespace

import pytest

from grpo_env_sdk import EnvSpec, MultiTurnEnv, SingleTurnEnv, evaluate, load, make
from grpo_env_sdk.envs.episode_books import construct_again
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.source_hash import source_hash
from grpo_env_sdk.errors import (
    ConfigError,
    ContractError,
    DeadlineError,
    EnvironmentFailedError,
    GrpoEnvWarning,
    UsageError,
)
from grpo_env_sdk.rewards import exact_match
from tests.environments import Countdown, Phonebook

PATH = "tests.environments:Countdown"


def test_make_takes_a_class_with_its_config_and_refuses_an_instance():
    class Sized(Countdown):
        def __init__(self, size: int = 1):
            self.size = size

    assert make(Sized, size=3).size == 3
    with pytest.raises(ConfigError, match="size"):
        make(Sized, siz=3)
    for given in (Countdown(), 3):
        with pytest.raises(UsageError, match=r"from its name or class, and got .*instance"):
            make(given)


class Stateful:
    """Runs tools over state of its own."""

    def __init__(self):
        self.log = []

    def build_dataset(self, tokenizer):
        self.built = True
        return [{"prompt": "hi"}]

    def get_tools(self):
        return [{"type": "function", "function": {"name": "note", "description": "Note.", "parameters": {}}}]

    def note(self, **arguments):
        self.log.append(arguments)
        return "noted"

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Uncopyable(Stateful):
    def __init__(self):
        super().__init__()
        self.lock = threading.Lock()


class Failing(Countdown):
    def __init__(self, kind):
        raise {"key": KeyError("x"), "exit": SystemExit(3), "ours": ConfigError("kind is odd.")}[kind]


@pytest.mark.parametrize(
    "env", [PATH, EnvSpec(PATH, PATH), Countdown, Countdown()], ids=["name", "spec", "class", "made"]
)
def test_an_environment_is_loaded_by_name_spec_class_or_instance(env):
    loaded = load(env)
    assert (loaded.spec.id, loaded.spec.kind, type(loaded.env)) == (PATH, "single-turn", Countdown)
    assert len(loaded.rows()) == 19


def test_what_is_loaded_already_is_left_as_it_is():
    loaded = load(Countdown)
    assert load(loaded) is loaded
    assert isinstance(loaded, LoadedEnv)


def test_config_reaches_the_constructor_and_the_spec():
    loaded = load(PATH, {"longest": 4})
    assert (loaded.env.starts, loaded.spec.config) == ([2, 3, 4], {"longest": 4})
    assert make(PATH, longest=4).starts == [2, 3, 4]
    assert make(EnvSpec(PATH, PATH, config={"longest": 5}), longest=4).starts == [2, 3, 4]


@pytest.mark.parametrize("given", [{"config": {"longest": 4}}, {"rewards": [exact_match()]}])
def test_what_is_made_already_takes_neither_config_nor_rewards(given):
    for env in (Countdown(), load(Countdown)):
        with pytest.raises(
            ConfigError, match=r"Countdown is created already, so it takes no (config|rewards)\. Give the cl"
        ):
            load(env, **given)
    with pytest.raises(ConfigError, match="is created already"):
        evaluate(Countdown(), config={"longest": 4})


def test_a_function_may_make_the_environment(site):
    source = (
        "from tests.environments import Countdown\ndef make_one(longest: int = 3):\n    return Countdown(longest)\n"
    )
    site.write("factory.py", source)
    assert load("factory:make_one", {"longest": 4}).env.starts == [2, 3, 4]
    assert evaluate("factory:make_one", "gold", split="all").summary["reward"]["mean"] == 1.0


@pytest.mark.parametrize(
    ("kind", "error", "told"),
    [
        (
            "key",
            EnvironmentFailedError,
            r"^The constructor of .*Failing raised KeyError: 'x' \(tests/envs/test_loading\.py:\d+\)",
        ),
        ("exit", EnvironmentFailedError, r"^The constructor of .*Failing raised SystemExit: 3"),
        ("ours", ConfigError, r"^kind is odd\.$"),
    ],
)
def test_a_constructor_that_fails_is_named_with_file_and_line(kind, error, told):
    with pytest.raises(error, match=told):
        load(Failing, {"kind": kind})


def test_a_constructor_and_a_dataset_that_hang_are_left_behind():
    class Slow(Countdown):
        def __init__(self, seconds: float = 0.0):
            time.sleep(seconds)
            super().__init__()

        def build_dataset(self, tokenizer):
            time.sleep(5)
            return super().build_dataset(tokenizer)

    with pytest.raises(DeadlineError, match=r"The constructor of .*Slow did not come back within 0\.5 s\."):
        load(Slow, {"seconds": 5}, build_timeout=0.5)
    with pytest.raises(DeadlineError, match=r"Slow: build_dataset did not come back within 0\.5 s\."):
        load(Slow, build_timeout=0.5).rows()


def test_rewards_are_added_for_every_instance():
    loaded = load(Phonebook, rewards=[exact_match()])
    assert [item.name for item in loaded.instance().rewards] == ["exact_match"]
    assert Phonebook().rewards == ()


def test_rewards_beside_a_scorer_are_refused():
    with pytest.raises(ContractError, match=r"Countdown has both score_episode and rewards \(exact_match\)\. Keep one"):
        make(PATH, rewards=[exact_match()])


def test_a_plain_class_is_shared_a_tool_class_copied_and_ours_constructed():
    shared, copied, constructed = load(Countdown), load(Stateful), load(Phonebook)
    assert shared.instance() is shared.env
    assert type(constructed.instance()) is Phonebook
    assert constructed.instance() is not constructed.env
    copied.rows()
    first, second = copied.instance(), copied.instance()
    first.note()
    assert (first.built, second.log, copied.env.log) == (True, [], [])


def test_what_cannot_be_copied_is_shared():
    with pytest.raises(TypeError):
        copy.deepcopy(Uncopyable())
    loaded = load(Uncopyable)
    assert (loaded.traits.kind, loaded.traits.instances) == ("tools", "shared")
    assert loaded.instance() is loaded.env


def test_a_shared_instance_that_hangs_is_made_anew_with_its_rows_built(site):
    source = (
        "from tests.environments import Countdown\ndef make_one(longest: int = 3):\n    return Countdown(longest)\n"
    )
    site.write("factory.py", source)
    for env in (PATH, Countdown, "factory:make_one"):
        loaded = load(env, {"longest": 4})
        loaded.rows("train")
        old = loaded.env
        loaded.replace_instance()
        assert loaded.env is not old
        assert loaded.env.starts == [2, 3, 4]


def test_an_instance_that_was_given_cannot_be_made_anew():
    class Needing(Countdown):
        def __init__(self, longest):
            super().__init__(longest)

    made = Needing(4)
    loaded = load(made)
    with pytest.raises(EnvironmentFailedError, match=r"hangs, and this instance cannot be created again\. Load it by"):
        loaded.replace_instance()
    assert loaded.env is made


def test_rows_are_checked_against_what_the_scorers_ask_for():
    class Asking(SingleTurnEnv):
        rewards = (exact_match("solution"),)

        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "soluton": "ho"}]

    with pytest.raises(LookupError, match=r"The reward 'exact_match' asks for 'solution', .* Did you mean 'soluton'"):
        load(Asking).rows()


def test_a_hidden_column_is_noted():
    class Hiding(Countdown):
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi", "start": 2, "state": 5}]

    with pytest.warns(GrpoEnvWarning, match="The column 'state' is hidden"):
        load(Hiding).rows()


def test_rows_are_built_once_and_split_from_there():
    class Drawing(Countdown):
        """Its rows differ each time they are built, as no author should write them."""

        built = 0

        def build_dataset(self, tokenizer):
            self.built += 1
            return [{"prompt": f"{self.built}: {n}", "start": n} for n in range(20)]

    loaded = load(Drawing)
    parts = [{row["prompt"] for row in loaded.rows(split)} for split in ("train", "test", "all")]
    assert parts[0] | parts[1] == parts[2]
    assert loaded.env.built == 1


def test_a_class_that_splits_its_rows_builds_each():
    class Splitting(Countdown):
        def build_dataset(self, tokenizer, split):
            return [{"prompt": split, "start": 2}]

    loaded = load(Splitting)
    assert [[row["prompt"] for row in loaded.rows(split)] for split in ("train", "test")] == [["train"], ["test"]]


def test_an_unknown_split_is_told():
    with pytest.raises(UsageError, match=r"No split named 'tset'\. Did you mean 'test'\?"):
        load(Countdown).rows("tset")


def test_a_tokenizer_reaches_build_dataset():
    class Tokenizing(Countdown):
        def build_dataset(self, tokenizer):
            return [{"prompt": tokenizer.eos_token, "start": 2}]

    assert load(Tokenizing, tokenizer=SimpleNamespace(eos_token="</s>")).rows()[0]["prompt"] == "</s>"


def test_the_source_hash_is_of_the_whole_package(site):
    site.write("mazes/__init__.py", "from mazes.maze import Maze\n")
    site.write("mazes/maze.py", "class Maze:\n    pass\n")
    from mazes import Maze

    before = source_hash(Maze)
    assert re.fullmatch(r"[0-9a-f]{32}", before)
    assert source_hash(Maze) == before
    site.write("mazes/rooms.py", "ROOMS = 5\n")
    assert source_hash(Maze) != before


def test_the_source_hash_is_the_same_whatever_else_lies_in_the_package(site):
    package = site.write("halls/__init__.py", "class Hall:\n    pass\n").parent
    from halls import Hall

    before = source_hash(Hall)
    site.write("halls/__pycache__/hall.cpython-311.pyc", "compiled")
    site.write("halls/map.txt", "# # #")
    (package / "folder.py").symlink_to(site.folder)
    (package / ".#hall.py").symlink_to("someone@somewhere.1234")  # as an editor locks a file
    assert source_hash(Hall) == before
    site.write("halls/doors/door.py", "DOORS = 5\n")
    assert source_hash(Hall) != before


def test_the_source_hash_of_a_module_alone_is_of_its_file(site):
    site.write("maze_alone.py", "class Maze:\n    pass\n")
    from maze_alone import Maze

    before = source_hash(Maze)
    site.write("other_module.py", "pass\n")
    assert source_hash(Maze) == before
    site.write("maze_alone.py", "class Maze:\n    size = 5\n")
    assert source_hash(importlib.reload(sys.modules["maze_alone"]).Maze) != before


@pytest.mark.parametrize("base", ["", "(SingleTurnEnv)", "(MultiTurnEnv)"])
def test_a_module_that_was_edited_keeps_the_hash_of_what_runs_until_it_is_loaded_again(base, site):
    source = f"from grpo_env_sdk import MultiTurnEnv, SingleTurnEnv\nclass Maze{base}:\n    size = 5\n"
    site.write("mazes/__init__.py", "from mazes.maze import Maze\n")
    file = site.write("mazes/maze.py", source)
    from mazes import Maze

    if not base:  # without one of our classes it is seen when it is loaded
        source_hash(Maze)
    site.write("mazes/maze.py", source + "# Longer.\n")
    with pytest.warns(GrpoEnvWarning, match=r"maze\.py was changed after it was imported.*reload\(mazes\.maze\)"):
        before = source_hash(Maze)
    file.write_text(source)
    assert source_hash(Maze) == before  # the same text, written again
    site.write("mazes/maze.py", source + "# Longer.\n")
    assert source_hash(importlib.reload(sys.modules["mazes.maze"]).Maze) != before


def test_a_script_that_is_run_again_in_the_same_process_is_what_runs(site, monkeypatch):
    def ran():
        module = ModuleType("a_script")
        module.__file__ = str(file)
        monkeypatch.setitem(sys.modules, "a_script", module)
        exec(compile(file.read_text(), str(file), "exec"), vars(module))
        return source_hash(module.Maze)

    source = "from grpo_env_sdk import SingleTurnEnv\nclass Maze(SingleTurnEnv):\n    size = 5\n"
    file = site.write("a_script.py", source)
    before = ran()
    site.write("a_script.py", source + "# Longer.\n")
    assert ran() != before


def test_a_script_from_a_pipe_is_not_read_again(monkeypatch):
    reader, writer = os.pipe()
    os.write(writer, b"What the script reads.")
    os.close(writer)
    with os.fdopen(reader) as pipe:
        module = ModuleType("a_script")
        module.__file__ = f"/dev/fd/{reader}"
        monkeypatch.setitem(sys.modules, "a_script", module)
        exec("from grpo_env_sdk import SingleTurnEnv\nclass Maze(SingleTurnEnv):\n    pass", vars(module))
        assert pipe.read() == "What the script reads."


def test_a_class_without_a_file_has_no_hash_and_runs():
    space = {"__name__": "typed_in", "Countdown": Countdown}
    exec("class Typed(Countdown):\n    pass\n", space)
    assert source_hash(space["Typed"]) is None
    assert load(space["Typed"]).spec.source_hash is None


def test_the_spec_of_a_loaded_environment_is_plain_data():
    spec = load(PATH, {"longest": 4}).spec
    assert EnvSpec.from_json(spec.as_json()) == spec
    assert (spec.kind, spec.config) == ("single-turn", {"longest": 4})
    assert spec.source_hash


def test_a_multi_turn_class_is_made_with_its_config_again_and_again():
    class Talk(MultiTurnEnv):
        def __init__(self, topic: str = "cats"):
            self.topic = topic

        def build_dataset(self, tokenizer):
            return [{"prompt": self.topic}]

        def step(self, action):
            return "", 1.0, True, False, {}

    assert construct_again(load(Talk, {"topic": "dogs"}).instance()).topic == "dogs"


@pytest.mark.parametrize("config", [["max_turns"], "max_turns=5", 0])
def test_a_config_that_is_no_dict_is_refused(config):
    with pytest.raises(ConfigError, match=r"config is .*, not a dict\. Write it like config=\{"):
        load("hotel-v1", config)
