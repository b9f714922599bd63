"""A file of flags that cannot be used is one line with its name, and the line of what is wrong in it."""

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.cli.config_file import read_file
from grpo_env_sdk.errors import UsageError


@pytest.mark.parametrize(
    ("name", "text", "place"),
    [
        (
            "plan.yaml",
            "model: gold\nrows: 5: 6\n",
            "plan.yaml:2 cannot be parsed: mapping values are not allowed here.",
        ),
        ("plan.yaml", "model: [gold\n", "plan.yaml:2 cannot be parsed: "),
        ("plan.yaml", "model: \0\n", "plan.yaml cannot be parsed: unacceptable character"),
        ("plan.toml", "model = 'gold'\nrows 5\n", "plan.toml:2 cannot be parsed: Expected '=' after a key"),
        ("plan.toml", "model = ", "plan.toml cannot be parsed: Invalid value"),
        ("plan.yaml", "[1, 2]", "plan.yaml has no names with values."),
    ],
)
def test_a_file_that_cannot_be_parsed_is_named_with_its_line(tmp_path, monkeypatch, name, text, place):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    with pytest.raises(UsageError) as caught:
        read_file(name)
    assert str(caught.value).startswith(place)
    assert "<unicode string>" not in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "reason"), [("nowhere.yaml", "No such file or directory"), (".", "Is a directory")])
def test_a_file_that_cannot_be_read_is_named_without_an_error_number(tmp_path, monkeypatch, name, reason):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UsageError, match=f"^--config {name} cannot be read: {reason}\\. Name a TOML or YAML file"):
        read_file(name)


@pytest.mark.parametrize(
    ("name", "text"),
    [("plan.toml", "env-config = {since = 1979-05-27}\n"), ("plan.yaml", "env-config: {since: 2020-01-01}\n")],
)
def test_a_date_within_a_value_is_one_line_that_says_how_to_write_it(tmp_path, monkeypatch, capsys, name, text):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_text(text)
    assert main(["eval", "tests.environments:Guess", "--model", "gold", "--config", name]) == 2
    told = capsys.readouterr().err
    assert told.startswith(f"grpo-env: {name}: env_config cannot be JSON: ")
    assert told.endswith("Write dates and times in quotes.\n")


@pytest.mark.parametrize("words", [("max-errors", "max_errors"), ("env", "envs")])
def test_two_spellings_of_one_flag_are_refused(tmp_path, monkeypatch, words, capsys):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "plan.toml").write_text("".join(f"{word} = '3'\n" for word in words))
    assert main(["eval", "--config", "plan.toml", "--model", "gold"]) == 2
    assert f"plan.toml has both '{words[0]}' and '{words[1]}'" in capsys.readouterr().err
