"""Errors name the author's file and line, not the SDK's and not a library's."""

import importlib
import json
from pathlib import Path
from textwrap import dedent

import pytest

from grpo_env_sdk.errors import GrpoEnvWarning
from grpo_env_sdk.isolation.calls import tracebacks as blame
from grpo_env_sdk.isolation.calls.deadline import call_within
from grpo_env_sdk.policies.make import PolicySpec
from grpo_env_sdk.registry.plugins import call_each, plugin_manager


def error_of(function, *args):
    with pytest.raises(Exception) as caught:  # noqa: PT011  # any error will do
        function(*args)
    return caught.value


def author_function(site, source):
    site.write("hotel.py", source)
    space = {}
    exec(compile(dedent(source), str(site.folder / "hotel.py"), "exec"), space)
    return space["author"]


def test_the_line_is_the_authors_own_though_a_library_raised(site):
    author = author_function(site, "import json\ndef author():\n    return json.loads('{')\n")
    assert blame.raised_at(error_of(author)).endswith("hotel.py:3")


def test_the_line_is_the_authors_own_though_an_installed_library_raised(site):
    author = author_function(
        site, "from datasets import Dataset\ndef author():\n    Dataset.from_dict({'a': [1], 'b': [1, 2]})\n"
    )
    assert blame.raised_at(error_of(author)).endswith("hotel.py:3")


def test_frames_of_the_sdk_are_nobodys_fault(site):
    author = author_function(site, "def author():\n    return {}['case_idx']\n")
    frames = blame.author_frames(error_of(call_within, 5, "it", author).__traceback__)
    assert [frame.filename for frame in frames if "grpo_env_sdk/" in frame.filename] == []
    assert frames[-1].name == "author"


def test_an_error_is_described_on_one_line(site):
    author = author_function(site, "def author():\n    raise ValueError('two\\n  lines')\n")
    assert blame.describe_error(error_of(author)).startswith("ValueError: two lines (")


def test_an_error_without_words_is_described_by_its_type():
    assert blame.describe_error(KeyboardInterrupt()) == "KeyboardInterrupt"


def test_a_very_long_error_is_cut():
    assert len(blame.describe_error(ValueError("x" * 10_000))) < 600


def test_a_short_traceback_shows_the_authors_frames_and_the_error(site):
    author = author_function(
        site, "def helper():\n    raise KeyError('nights')\n\ndef author():\n    return helper()\n"
    )
    told = blame.short_traceback(error_of(call_within, 5, "it", author))
    assert told.endswith("KeyError: 'nights'")
    assert "in helper" in told
    assert "deadline.py" not in told


def test_a_class_or_function_stands_in_a_file_at_a_line():
    assert blame.defined_at(error_of).startswith("tests/isolation/test_tracebacks.py:")


def test_what_has_no_source_stands_nowhere():
    assert blame.defined_at(len) == ""
    assert blame.defined_at(5) == ""


def test_a_file_below_the_working_directory_is_named_relative(workplace):
    file = workplace.write("mine.py", "def author():\n    raise ValueError('x')\n")
    space = {}
    exec(compile(file.read_text(), str(file), "exec"), space)
    assert blame.raised_at(error_of(space["author"])) == "mine.py:2"


def test_an_environment_is_named_by_module_and_class():
    assert blame.name_of(json.JSONDecoder()) == blame.name_of(json.JSONDecoder) == "json.decoder:JSONDecoder"


def called_by(site, plugin_source, **offers):
    """The files of the frames of an author's function that a plugin's code calls."""
    caller = "def call(function):\n    function()\n"
    site.install("helping", plugins={"helping": "helping.plugin"}, modules={
        "helping/__init__.py": "", "helping/plugin.py": plugin_source, "helping/calling.py": caller,
    }, **offers)  # fmt: skip
    plugin_manager()
    author = author_function(site, "def author():\n    raise KeyError('x')\n")
    frames = blame.author_frames(error_of(importlib.import_module("helping.calling").call, author).__traceback__)
    return [Path(frame.filename).name for frame in frames if frame.name in ("call", "author")]


def test_frames_of_a_plugin_are_not_the_authors(site):
    assert called_by(site, "") == ["hotel.py"]


def test_frames_of_a_package_that_brings_environments_are_the_authors_although_it_has_a_plugin(site):
    assert called_by(site, "", envs={"hotel-v1": "helping.envs:Hotel"}) == ["calling.py", "hotel.py"]


def test_frames_of_an_adapter_are_the_authors(site):
    adapter = "from grpo_env_sdk import hookimpl\n\n@hookimpl\ndef grpo_env_register_envs():\n    return []\n"
    assert called_by(site, adapter) == ["calling.py", "hotel.py"]


def test_an_error_of_a_plugin_itself_is_described_with_its_place(site):
    failing = (
        "from grpo_env_sdk import hookimpl\n\n@hookimpl\ndef grpo_env_make_policy(spec):\n    raise KeyError('x')\n"
    )
    assert called_by(site, failing) == ["hotel.py"]
    with pytest.warns(GrpoEnvWarning, match=r"KeyError: 'x' \(.*helping/plugin\.py:5\)"):
        list(call_each("grpo_env_make_policy", spec=PolicySpec("nobody:knows")))


def test_a_syntax_error_of_a_text_is_placed_at_the_line_that_reads_it(site):
    author = author_function(site, "def author():\n    return eval('1 +')\n")
    told = blame.describe_error(error_of(author))
    assert told.startswith("SyntaxError: invalid syntax (<string>, line 1) (")
    assert told.endswith("hotel.py:2)")
