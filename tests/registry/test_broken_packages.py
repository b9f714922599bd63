"""Broken packages: each is one line that names the distribution, and everything else goes on."""

import json
import subprocess
import sys
import time

import pytest

from grpo_env_sdk import make, specs
from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import GrpoEnvError
from grpo_env_sdk.isolation.calls.imports import TIMEOUT_VARIABLE

GOOD = """
    class Good:
        def build_dataset(self, tokenizer):
            return [{"prompt": "hi"}]
        def score_episode(self, model, tokenizer, completion):
            return 1.0
"""


@pytest.fixture
def good(site):
    """A package that is as it should be."""
    site.install("good-envs", envs={"good-v1": "good_envs:Good"}, modules={"good_envs.py": GOOD})
    return site


def install(site, source, entry_point="bad_envs:Bad", id="bad-v1"):
    modules = {} if source is None else {"bad_envs.py": source}
    site.install("bad-envs", version="0.3", envs={id: entry_point}, modules=modules)


def status(id):
    (found,) = [item for item in specs() if item.id == id]
    return found.status, found.error


@pytest.mark.parametrize(
    ("id", "entry_point", "error"),
    [
        ("bad-v1", "nowhere_at_all:Bad", "there is no module 'nowhere_at_all'"),
        ("bad-v1", "nowhere_at_all.envs:Bad", "there is no module 'nowhere_at_all'"),
        ("bad-v1", "bad_envs", "the entry point 'bad_envs' is not like 'package.module:Class'"),
        ("bad-v1", "", "the entry point '' is not like 'package.module:Class'"),
        ("bad-v1", "bad envs:Bad", "the entry point 'bad envs:Bad' is not like 'package.module:Class'"),
        ("Bad Env", "good_envs:Good", "the id 'Bad Env' is not like 'bad-env-v1'"),
        ("bad", "good_envs:Good", "the id 'bad' is not like 'bad-v1'"),
    ],
)
def test_what_metadata_shows_to_be_wrong_is_broken_and_the_others_are_not(good, id, entry_point, error):
    install(good, None, entry_point, id)
    assert status(id) == ("broken", error)
    assert status("good-v1") == ("ok", None)


@pytest.mark.parametrize("id", ["-v1", "", "Bad Env"])
def test_an_environment_without_a_valid_id_cannot_be_used(good, id, capsys):
    install(good, None, "good_envs:Good", id)
    assert main(["info", f"bad-envs:{id}"]) == 2
    assert capsys.readouterr().err.startswith(f"grpo-env: bad-envs: the id {id!r} is not like ")


def test_an_entry_point_without_a_colon_is_refused_with_the_words_of_the_list(good, capsys):
    install(good, None, "good_envs")
    assert main(["info", "bad-v1"]) == 2
    assert capsys.readouterr().err.startswith(f"grpo-env: bad-v1 of bad-envs: {status('bad-v1')[1]}.")


def test_what_only_an_import_would_show_is_not_looked_for_when_listing(good):
    install(good, "raise SystemExit('imported')")
    assert status("bad-v1") == ("ok", None)
    assert "bad_envs" not in sys.modules


BROKEN = [
    (None, "bad_envs:Bad", "bad_envs cannot be imported: ModuleNotFoundError: No module named 'bad_envs'."),
    ("import nowhere_at_all", "bad_envs:Bad", "bad_envs cannot be imported: ModuleNotFoundError: No module named 'no"),
    ("1 / 0", "bad_envs:Bad", "bad_envs cannot be imported: ZeroDivisionError: division by zero ("),
    ("class Bda: pass", "bad_envs:Bad", "bad_envs has no 'Bad'. Did you mean 'Bda'?"),
    ("raise SystemExit(4)", "bad_envs:Bad", "importing bad_envs exits with 4."),
    ("import time; time.sleep(0.6)", "bad_envs:Bad", "importing bad_envs did not end within 0.3 s."),
]  # fmt: skip


@pytest.mark.parametrize(("source", "entry_point", "told"), BROKEN)
def test_a_broken_package_is_one_line_that_names_the_distribution(good, capsys, monkeypatch, source, entry_point, told):
    install(good, source, entry_point)
    monkeypatch.setenv(TIMEOUT_VARIABLE, "0.3")
    assert main(["info", "bad-v1"]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"grpo-env: bad-v1 of bad-envs 0.3: {told}")
    assert printed.err.count("\n") == 1
    assert main(["info", "good-v1"]) == 0


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("class Bad: pass", "bad_envs:Bad is no environment: it has no build_dataset and no score_episode ("),
        ("Bad = 5", "bad_envs:Bad is 5, not a class. Name a class or a function."),
        ("def Bad(): return None", "bad_envs:Bad returned nothing. Return the environment."),
        ("def Bad(): return 5", "builtins:int is no environment: it has no build_dataset and no score_episode."),
        ("def Bad(): raise KeyError('x')", "The constructor of bad-v1 raised KeyError: 'x' ("),
        ("def Bad(): raise SystemExit(3)", "The constructor of bad-v1 raised SystemExit: 3"),
        ("def Bad(rows): pass", "bad-v1 needs config 'rows'. It takes: rows (any, required)."),
    ],
)
def test_what_makes_no_environment_is_one_line(good, source, told):
    install(good, source)
    with pytest.raises(GrpoEnvError) as caught:
        make("bad-v1")
    assert str(caught.value).startswith(told)
    assert "\n" not in str(caught.value)


def test_an_import_that_prints_leaves_the_json_alone(good, capsys):
    install(good, "print('hello')\n" + "\n".join(line[4:] for line in GOOD.splitlines()), "bad_envs:Good")
    assert main(["info", "bad-v1", "--json"]) == 0
    printed = capsys.readouterr()
    assert json.loads(printed.out)["id"] == "bad-v1"
    assert printed.err.startswith("hello\n")


def test_an_import_that_hangs_does_not_keep_the_process(good):
    install(good, "import time; time.sleep(30)")
    path = f"import sys; sys.path.insert(0, {str(good.folder)!r})"
    program = f"{path}; from grpo_env_sdk.cli import main; main(['info', 'bad-v1'])"
    began = time.perf_counter()
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, env={TIMEOUT_VARIABLE: "0.3"}, timeout=25
    )
    assert time.perf_counter() - began < 20
    assert "did not end within 0.3 s" in done.stderr


def test_a_list_full_of_broken_packages_shows_them_all(good, capsys):
    for number, (source, entry_point, _) in enumerate(BROKEN):
        name = f"bad_envs_{number}"
        modules = {} if source is None else {f"{name}.py": source}
        good.install(f"bad-{number}", envs={f"bad{number}-v1": entry_point.replace("bad_envs", name)}, modules=modules)
    good.install("bad-plugin", plugins={"hooks": "nowhere_at_all"})
    with pytest.warns(UserWarning, match="The plugin 'hooks' of bad-plugin 1.0: nowhere_at_all cannot be imported"):
        assert specs()
    assert main(["list", "--json"]) == 0
    listed = {item["id"]: item["status"] for item in json.loads(capsys.readouterr().out)["environments"]}
    assert listed["good-v1"] == "ok"
    assert listed["bad0-v1"] == "broken"
    assert {f"bad{number}-v1" for number in range(len(BROKEN))} <= set(listed)
