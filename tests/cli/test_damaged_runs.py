"""Runs that are damaged, by an accident or on purpose: every command says so in one line, and changes nothing."""

import gc
import json
import os
import shutil
from pathlib import Path

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main

ENV = "tests.environments:Phonebook"
DEEP, LONG = "[" * 100_000, "1" * 5_000
HUGE = 10**400
WRONG = [None, -1, HUGE, float("nan"), "\x1b[2J", [], {}, {"a": [HUGE]}]


@pytest.fixture(autouse=True)
def no_garbage():
    """Reading what is nested deeply leaves no room for the garbage of other tests, which Python would collect there."""
    gc.collect()
    gc.disable()
    yield
    gc.enable()


def with_value(path, value):
    """A damage that puts a value at a place in a file of JSON."""

    def damage(text):
        head, *rest = text.splitlines(keepends=True) if text.startswith('{"env"') else [text]
        data = json.loads(head)
        inner = data
        for key in path[:-1]:
            inner = inner[key]
        if value is KeyError:
            inner[path[-1]] = None
            del inner[path[-1]]
        else:
            inner[path[-1]] = value
        return json.dumps(data) + "\n" + "".join(rest)

    name = "missing" if value is KeyError else repr(value)[:20]
    damage.__name__ = f"{'.'.join(map(str, path))}={name}"
    return damage


def text_of(name, text):
    """A damage that replaces a file."""

    def damage(before):
        return text

    damage.__name__ = name
    return damage


WHOLE = [
    text_of("empty", ""), text_of("list", "[]\n"), text_of("null", "null\n"), text_of("number", "1e999\n"),
    text_of("deep", DEEP), text_of("deep objects", '{"env": ' * 900 + "1" + "}" * 900 + "\n"),
    text_of("digits", f'{{"env": {LONG}}}\n'), text_of("latin-1", '{"env": "\xe9"}\n'), text_of("NUL", "\0\n"),
]  # fmt: skip


def keys(words):
    """Places in a file: `messages.0.role`."""
    return [tuple(int(part) if part.isdecimal() else part for part in word.split(".")) for word in words.split()]


MANIFEST_KEYS = keys(
    "env config rows samples policy created reward_range part_ranges plan plan.by plan.cluster plan.prices "
    "plan.concurrency sampling sampling.temperature limits limits.turns base_url split forced signature files versions "
    "training dataset_fingerprint format"
)
SUMMARY_KEYS = keys(
    "episodes scored reward reward.mean rewards pass_at_k stop_reasons errors error_examples tool_calls seconds by "
    "metrics run env tokens turns"
)
RECORD_KEYS = keys(
    "row row.prompt row_index sample messages messages.0 messages.0.role messages.1.content messages.1.tool_calls "
    "opening reward rewards tool_calls tool_calls.0 timings usage metrics error stop_reason turns seed format "
    "step_rewards token_ids"
)
KEYS = {"manifest.json": MANIFEST_KEYS, "summary.json": SUMMARY_KEYS, "episodes.jsonl": RECORD_KEYS}


def damages(file, values):
    """Damages of a whole file, and each value at each key; the same in every run of the tests."""
    return [*WHOLE, *(with_value(key, value) for key in KEYS[file] for value in values)]


READING = (
    ["runs", "--dir", "."], ["runs", "show", "bad"], ["runs", "show", "bad", "--json"], ["diff", "bad", "good"],
    ["diff", "good", "bad", "--json"], ["view", "bad", "--export", "page.html"],
    ["view", "good", "bad", "--export", "page.html"],
)  # fmt: skip
RUNNING = (
    ["rescore", "bad", "--trust", "--out", "again"], ["eval", "--resume", "bad", "--trust"],
    ["eval", ENV, "-m", "replay:bad", "-n", "1", "--out", "again"],
)  # fmt: skip


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A run of two rows."""
    folder = tmp_path_factory.mktemp("good") / "run"
    evaluate(ENV, "gold", rows=2, out=folder)
    return folder


@pytest.fixture
def place(good, tmp_path, monkeypatch):
    """A folder with that run as `good`, and once more as `bad`, which a test damages."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(good, "good")
    shutil.copytree(good, "bad")
    return tmp_path


def check(words, capsys):
    """Run a command: it works or says in one line what is wrong, and it never raises."""
    code = main([*words])
    out, told = capsys.readouterr()
    assert code in (0, 1, 2), words
    errors = [line for line in told.splitlines() if line.startswith("grpo-env: ")]
    assert len(errors) == (code == 2 and "--json" not in words), (words, told)
    if code == 2:
        assert "Traceback" not in told + out
        assert "\x1b" not in told + out
    shutil.rmtree("again", ignore_errors=True)
    return code, out + told


def tried(commands, damage, file, good, capsys):
    """Run commands on a copy of the good run with one damaged file."""
    shutil.rmtree("bad")
    shutil.copytree(good, "bad")
    text = damage((good / file).read_text())
    (path := Path("bad", file)).write_bytes(text.encode("latin-1" if "\xe9" in text else "utf-8"))
    before = path.read_bytes()
    for words in commands:
        try:
            check(words, capsys)
        except Exception as exc:
            raise AssertionError(f"{damage.__name__}: {words}: {exc!r}") from exc
    return path.read_bytes() == before


@pytest.mark.parametrize("file", KEYS)
def test_reading_a_damaged_file_is_one_line_or_works_and_changes_nothing(file, place, good, capsys):
    for damage in damages(file, [*WRONG, KeyError]):
        commands = READING[:3] if file == "summary.json" else READING
        assert tried(commands, damage, file, good, capsys), damage.__name__


@pytest.mark.parametrize("file", KEYS)
def test_running_with_a_damaged_file_is_one_line_or_works(file, place, good, capsys):
    """Each damage with one of the commands, in turn, as each of them opens a run and plays."""
    for number, damage in enumerate(damages(file, [] if file == "summary.json" else [KeyError])):
        tried([RUNNING[number % len(RUNNING)]], damage, file, good, capsys)


@pytest.mark.slow
@pytest.mark.parametrize("file", KEYS)
def test_running_with_a_damaged_file_is_one_line_or_works_by_every_command(file, place, good, capsys):
    for damage in damages(file, [] if file == "summary.json" else [KeyError]):
        tried(RUNNING, damage, file, good, capsys)


def links(path, outside):
    """What somebody can put in the place of a file."""
    yield lambda: path.symlink_to("/etc/passwd")
    yield lambda: path.symlink_to(outside)
    yield lambda: path.symlink_to("nowhere")
    yield lambda: path.symlink_to(path.name)
    yield lambda: path.symlink_to("/dev/zero")
    yield lambda: os.mkfifo(path)
    yield lambda: path.mkdir()


@pytest.mark.parametrize("file", KEYS)
def test_a_link_a_pipe_or_a_folder_in_the_place_of_a_file_is_one_line(file, place, good, capsys, tmp_path):
    mine = tmp_path / "mine"
    mine.write_text("mine")
    path = Path("bad", file)
    for put in links(path, mine):
        shutil.rmtree("bad")
        shutil.copytree(good, "bad")
        path.unlink()
        put()
        for words in [*READING, *RUNNING]:
            code, told = check(words, capsys)
            if words[0] in ("runs", "eval") and "--resume" in words and file == "episodes.jsonl":
                assert code == 2
            assert "root:" not in told
    assert mine.read_text() == "mine"


def test_one_damaged_run_does_not_hide_the_others_from_the_list(place, capsys):
    Path("bad/summary.json").write_text('{"reward": 1}')
    assert main(["runs", "--dir", "."]) == 0
    out, told = capsys.readouterr()
    assert "good" in out
    assert told.startswith("note: bad/summary.json cannot be read: its reward is 1, and must be an object with mean, ")
    assert "Restore or remove it: resuming an evaluation writes it again.\n" in told


def test_a_link_to_a_run_is_not_deleted_as_the_run(place, capsys):
    Path("linked").symlink_to("good")
    code, told = check(["runs", "rm", "linked", "--yes"], capsys)
    assert code == 2
    assert "linked cannot be deleted" in told
    assert Path("good/manifest.json").exists()
