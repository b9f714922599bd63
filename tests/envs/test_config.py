"""Config is JSON, checked against the constructor before anything is built."""

import dataclasses
import json
from typing import Any, Literal

import pytest

from grpo_env_sdk import MultiTurnEnv, evaluate, load, make
from grpo_env_sdk.envs.config import check_config, parameters_of, read_config
from grpo_env_sdk.errors import ConfigError


class Hotel:
    def __init__(
        self,
        max_turns: int = 5,
        difficulty: Literal["easy", "hard"] = "easy",
        cities: list[str] | None = None,
        rate=1.5,
        seed=0,
        verbose=False,
        *,
        name: str = "Ritz",
        extra: Any = None,
    ) -> None:
        self.given = {"max_turns": max_turns, "difficulty": difficulty}

    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    def score_episode(self, model, tokenizer, completion):
        return 1.0


class Inheriting(Hotel):
    pass


class Needing(Hotel):
    def __init__(self, path: str, rows: int) -> None:
        super().__init__()


class Free(Hotel):
    def __init__(self, rows: int = 3, **options) -> None:
        super().__init__()


class Talk(MultiTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "hi"}]

    def step(self, action):
        return "", 1.0, True, False, {}


class LongTalk(Talk):
    def __init__(self, turns: int = 3) -> None:
        self.max_turns = turns


class LongerTalk(LongTalk):
    """Inherits the constructor."""


@dataclasses.dataclass
class Declared(Hotel):
    rows: int
    seed: int = 0


def refused(cls, config):
    with pytest.raises(ConfigError) as caught:
        check_config("hotel-v1", cls, config)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_types_are_read_from_annotations_or_else_from_defaults():
    types = {parameter.name: parameter.type for parameter in parameters_of(Hotel).values()}
    assert types == {
        "max_turns": "integer",
        "difficulty": '"easy" or "hard"',
        "cities": types["cities"],
        "rate": "number",
        "seed": "number",
        "verbose": "boolean",
        "name": "string",
        "extra": "any",
    }


@pytest.mark.parametrize("cls", [Inheriting, LongerTalk])
def test_an_inherited_constructor_is_seen_too(cls):
    assert parameters_of(cls) == parameters_of(cls.__mro__[1])
    assert parameters_of(cls)


@pytest.mark.parametrize("cls", [Talk, MultiTurnEnv, object])
def test_a_class_without_a_constructor_takes_no_config(cls):
    assert parameters_of(cls) == {}
    assert refused(cls, {"rows": 5}) == "hotel-v1 takes no config 'rows'. It takes no config."


def test_a_dataclass_and_a_function_are_constructors_too():
    def make_hotel(rows: int, seed=0):
        """An environment."""

    for constructor in (Declared, make_hotel):
        told = {name: (p.required, p.default) for name, p in parameters_of(constructor).items()}
        assert told == {"rows": (True, None), "seed": (False, 0)}


@pytest.mark.parametrize(
    "config",
    [
        {},
        {"max_turns": 3, "difficulty": "hard", "cities": ["Lyon"], "name": "Savoy"},
        {"rate": 2, "seed": 7, "verbose": True, "cities": None, "extra": {"deep": [1]}},
    ],
)
def test_config_that_fits_passes(config):
    check_config("hotel-v1", Hotel, config)


@pytest.mark.parametrize(
    ("config", "told"),
    [
        ({"max_turn": 3}, "hotel-v1 takes no config 'max_turn'. Did you mean 'max_turns'? It takes: max_turns ("),
        ({"wifi": 3}, "hotel-v1 takes no config 'wifi'. It takes: max_turns (integer, default 5), difficulty ("),
        ({"max_turns": "five"}, "hotel-v1 config 'max_turns' is \"five\": 'five' is not of type 'integer'. It takes:"),
        ({"max_turns": True}, "hotel-v1 config 'max_turns' is true: True is not of type 'integer'."),
        ({"max_turns": 2.5}, "hotel-v1 config 'max_turns' is 2.5: 2.5 is not of type 'integer'."),
        ({"difficulty": "mild"}, "hotel-v1 config 'difficulty' is \"mild\": 'mild' is not one of ['easy', 'hard']."),
        ({"cities": [1]}, "hotel-v1 config 'cities' is [1]: "),
        ({"rate": "high"}, "hotel-v1 config 'rate' is \"high\": 'high' is not of type 'number'."),
        ({"verbose": "yes"}, "hotel-v1 config 'verbose' is \"yes\": 'yes' is not of type 'boolean'."),
        ({"seed": None}, "hotel-v1 config 'seed' is null: None is not of type 'number'."),
    ],
)  # fmt: skip
def test_config_that_does_not_fit_is_told_with_the_value_and_what_is_accepted(config, told):
    assert refused(Hotel, config).startswith(told)


def test_a_parameter_without_default_is_required():
    assert refused(Needing, {"path": "x"}) == (
        "hotel-v1 needs config 'rows'. It takes: path (string, required), rows (integer, required)."
    )


def test_a_constructor_of_any_options_takes_any():
    check_config("hotel-v1", Free, {"colour": "red"})
    assert "config 'rows' is" in refused(Free, {"rows": "x"})


def test_an_annotation_that_json_cannot_carry_is_left_to_the_constructor():
    class Clock:
        def __init__(self, tick: "NoSuchType" = None, wait: complex = 0j) -> None:  # noqa: F821
            """Takes what it likes."""

    check_config("clock-v1", Clock, {"tick": 3, "wait": "long"})


def test_config_is_checked_wherever_an_environment_is_made():
    for making in (
        lambda: load(Hotel, {"max_turn": 3}),
        lambda: evaluate(Hotel, config={"max_turn": 3}),
        lambda: make("tests.envs.test_config:Hotel", max_turn=3),
        lambda: load(Talk, {"rows": 3}),
    ):
        with pytest.raises(ConfigError, match="takes no config"):
            making()


@pytest.mark.parametrize("text", [None, "", "{}"])
def test_no_config_is_an_empty_object(text):
    assert read_config(text) == {}


def test_config_is_read_from_json_or_a_file(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{"rows": 5}', encoding="utf-8")
    marked = tmp_path / "marked.json"
    marked.write_text('{"rows": 5}', encoding="utf-8-sig")
    assert read_config('{"rows": 5}') == read_config(f"@{path}") == read_config(f"@{marked}") == {"rows": 5}


def test_a_file_without_its_sign_is_answered_with_it(tmp_path):
    path = tmp_path / "config.json"
    path.write_text("{}")
    with pytest.raises(ConfigError, match=rf"--env-config @{path} reads that file\."):
        read_config(str(path))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("{rows: 5}", r"^--env-config is not JSON: '\{rows: 5\}' \(Expecting property name .*\)\. Write it like '\{"),
        ("rows=5", r"^--env-config is not JSON: 'rows=5' \("),
        ("[1]", r"^--env-config is '\[1\]', not an object\. Write it like "),
        ("null", r"^--env-config is 'null', not an object\."),
        ("5", r"^--env-config is '5', not an object\."),
        ("[" * 100_000, r"^--env-config is not JSON: '\[+ \("),
        ("@nowhere.json", r"^--env-config @nowhere\.json cannot be read: No such file or directory\. Give JSON"),
        ("@", r"^--env-config @ cannot be read: "),
    ],
)  # fmt: skip
def test_config_that_cannot_be_read_says_where_and_how_to_write_it(text, told):
    with pytest.raises(ConfigError, match=told) as caught:
        read_config(text)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("text", ["", "nonsense", json.dumps([1])])
def test_a_file_that_holds_no_object_is_named(tmp_path, text):
    path = tmp_path / "config.json"
    path.write_text(text)
    with pytest.raises(ConfigError, match=rf"^{path}(:1)? is "):
        read_config(f"@{path}")


def test_a_file_that_is_not_json_is_named_with_its_line(tmp_path):
    path = tmp_path / "config.json"
    path.write_text('{\n  "rows": 5,\n  seed: 1\n}')
    with pytest.raises(ConfigError, match=rf"^{path}:3 is not JSON: Expecting property name"):
        read_config(f"@{path}")
