"""Runs that somebody else wrote or changed: what the commands do with them, and what they never do unasked."""

import json
import shutil
import sys

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.runs.reading import open_run
from tests.stub_server import StubServer, says

SPY = """
from pathlib import Path
from tests.environments import Countdown

Path("imported").touch()


class Spy(Countdown):
    pass
"""
SPIED = "spy:Spy"
COUNTDOWN = "tests.environments:Countdown"


@pytest.fixture
def grpo_env(workplace, capsys):
    """Runs a command in an empty folder: gives exit code, stdout and stderr; `spy:Spy` leaves a file when imported."""
    workplace.write("spy.py", SPY)

    def run(*words):
        capsys.readouterr()
        (workplace.folder / "imported").unlink(missing_ok=True)
        sys.modules.pop("spy", None)
        code = main([*words])
        told = capsys.readouterr()
        return code, told.out, told.err

    return run


def imported(workplace):
    return (workplace.folder / "imported").exists()


def changed(run, **keys):
    """The run with another manifest, as whoever sends it can write it."""
    path = open_run(run).path / "manifest.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | keys))
    return run


def evaluated(grpo_env, env=SPIED, out="run", **keys):
    """A run that is not finished, and foreign where `keys` change its manifest."""
    assert grpo_env("eval", env, "-m", "gold", "--out", out, "-n", "2")[0] == 0
    lines = open_run(out).path / "episodes.jsonl"
    lines.write_bytes(lines.read_bytes().splitlines(keepends=True)[0])
    (open_run(out).path / "summary.json").unlink()
    return changed(out, **keys) if keys else out


def test_an_own_run_goes_on_unasked_wherever_it_was_moved(grpo_env, workplace):
    evaluated(grpo_env)
    shutil.copytree("run", "elsewhere/copy")
    for run in ("run", "elsewhere/copy"):
        assert grpo_env("rescore", run)[0] == 0
        assert grpo_env("eval", "--resume", run)[0] == 0
        assert imported(workplace)


@pytest.mark.parametrize("words", [["rescore", "run"], ["eval", "--resume", "run"], ["rescore", "run", "--json"]])
def test_a_manifest_runs_no_code_and_the_line_names_the_next_step(words, grpo_env, workplace):
    evaluated(grpo_env, env_version="2")
    before = {path: path.read_bytes() for path in workplace.folder.glob("run/*")}
    code, out, told = grpo_env(*words)
    assert code == 2
    assert not imported(workplace)
    told = json.loads(out)["error"]["message"] + json.loads(out)["error"]["hint"] if out else told
    assert told.count("\n") <= 1
    assert "'run' was changed since it was written or written elsewhere" in told
    assert "'spy:Spy'" in told
    again = "grpo-env rescore run --env spy:Spy" if words[0] == "rescore" else "grpo-env eval spy:Spy --resume run"
    assert again in told
    assert "--trust" in told
    assert {path: path.read_bytes() for path in workplace.folder.glob("run/*")} == before


@pytest.mark.parametrize("env", ["os:system", "subprocess:run", "spy:Spy", "spy:Spy\n\x1b[2J", "nowhere:Nothing"])
def test_whatever_a_manifest_names_is_refused_in_one_line(env, grpo_env, workplace):
    evaluated(grpo_env, env=SPIED)
    changed("run", env=env, config={"command": "touch ran"})
    for words in (["rescore", "run"], ["eval", "--resume", "run"], ["eval", "--resume", "run", "--force"]):
        code, _, told = grpo_env(*words)
        assert (code, told.count("\n")) == (2, 1)
        assert "\x1b" not in told
    assert not imported(workplace)
    assert not (workplace.folder / "ran").exists()


def test_what_the_hint_says_works(grpo_env):
    evaluated(grpo_env, created="2020-01-01")
    assert grpo_env("rescore", "run", "--env", SPIED)[0] == 0
    assert grpo_env("rescore", "run", "--trust")[0] == 0
    assert grpo_env("eval", SPIED, "--resume", "run")[0] == 0
    assert grpo_env("eval", "--resume", "run", "--trust")[0] == 0


def test_a_function_is_not_called_with_a_stranger_s_config_although_it_was_named(grpo_env, workplace):
    evaluated(grpo_env)
    changed("run", env="os:system", config={"command": "touch ran"})
    for words in (["rescore", "run", "--env", "os:system"], ["eval", "os:system", "--resume", "run"]):
        code, _, told = grpo_env(*words)
        assert (code, told.count("\n")) == (2, 1)
        assert "is a function" in told
    assert not (workplace.folder / "ran").exists()


def test_rows_that_were_changed_in_an_own_run_do_not_reach_its_scorer(grpo_env):
    assert grpo_env("eval", SPIED, "-m", "gold", "--out", "run", "-n", "2")[0] == 0
    assert grpo_env("rescore", "run", "--out", "same")[0] == 0
    lines = open_run("run").path / "episodes.jsonl"
    lines.write_text(lines.read_text().replace('"start": 4', '"start": 5'))
    code, _, told = grpo_env("rescore", "run")
    assert code == 2
    assert "its row 2 is not that of" in told
    assert grpo_env("rescore", "run", "--trust")[0] == 0


def test_approving_once_does_not_approve_for_ever(grpo_env):
    evaluated(grpo_env, samples=2)
    assert grpo_env("eval", SPIED, "--resume", "run", "--force", "--trust")[0] == 0
    assert not open_run("run").own
    assert grpo_env("eval", "--resume", "run")[0] == 2


def test_an_own_run_that_is_forced_stays_its_owner_s(grpo_env, workplace):
    evaluated(grpo_env)
    workplace.write("spy.py", SPY + "    x = 1\n")
    code, _, told = grpo_env("eval", "--resume", "run")
    assert (code, "environment's code changed" in told) == (2, True)
    assert grpo_env("eval", "--resume", "run", "--force")[0] == 0
    assert open_run("run").own


def test_another_environment_is_not_that_of_the_run(grpo_env, workplace):
    evaluated(grpo_env, created="2020-01-01")
    code, _, told = grpo_env("rescore", "run", "--env", "tests.environments:Countdown")
    assert (code, told.count("\n")) == (2, 1)
    assert "'spy:Spy', not of 'tests.environments:Countdown'" in told
    code, _, told = grpo_env("eval", "tests.environments:Countdown", "--resume", "run")
    assert (code, "'spy:Spy'" in told) == (2, True)
    assert not imported(workplace)


@pytest.fixture
def installed(site):
    """An environment with an id."""
    modules = {"toys.py": "from tests.environments import Countdown as Toy"}
    site.install("toys", envs={"toy-v1": "toys:Toy"}, modules=modules)
    return "toy-v1"


def test_a_foreign_run_of_an_installed_environment_goes_on_unasked(grpo_env, installed):
    evaluated(grpo_env, installed, created="2020-01-01")
    assert not open_run("run").own
    assert grpo_env("rescore", "run")[0] == 0
    assert grpo_env("eval", "--resume", "run")[0] == 0


@pytest.mark.parametrize(("keys", "what"), [
    ({"config": {"longest": "env:PATH"}}, "the value of 'env:PATH'"),
    ({"reward_funcs": ["os:system=0.5"]}, "'os:system=0.5' would be imported"),
    ({"training": {"reward_funcs": {"spy.Spy": 1.0}}}, "'spy.Spy' would be imported"),
    ({"training": {"model_init_kwargs": {"trust_remote_code": True}}}, "trust_remote_code"),
    ({"policy": "scripted:/etc/passwd"}, "'scripted:/etc/passwd' would be loaded"),
    ({"policy": "replay:../other"}, "'replay:../other' would be loaded"),
    ({"policy": "somebody/model"}, "'somebody/model' would be loaded"),
])  # fmt: skip
def test_nothing_else_that_it_names_is_code_a_secret_or_a_file(keys, what, grpo_env, installed):
    evaluated(grpo_env, installed, **keys)
    resumed, rescored = ["eval", "--resume", "run"], ["rescore", "run"]
    for words in [resumed] * ("training" not in keys) + [rescored] * ("policy" not in keys):
        code, _, told = grpo_env(*words)
        assert (code, told.count("\n")) == (2, 1)
        assert what in told
        assert "add --trust" in told


def test_rows_that_the_environment_has_not_are_not_given_to_its_scorer(grpo_env, installed):
    evaluated(grpo_env, installed, created="2020-01-01")
    lines = open_run("run").path / "episodes.jsonl"
    record = json.loads(lines.read_text())
    lines.write_text(json.dumps(record | {"row": record["row"] | {"start": 1}}) + "\n")
    code, _, told = grpo_env("rescore", "run")
    assert (code, told.count("\n")) == (2, 1)
    assert f"its row {record['row_index']} is not that of toy-v1" in told
    assert grpo_env("rescore", "run", "--trust")[0] == 0


def test_reading_imports_nothing_and_asks_nothing(grpo_env, workplace):
    evaluated(grpo_env, created="2020-01-01")
    shutil.copytree("run", "other")
    for words in (
        ["view", "run", "other", "--export", "page.html"], ["runs", "--dir", "."], ["runs", "show", "run"],
        ["runs", "show", "run", "--json"], ["diff", "run", "other"],
        ["eval", COUNTDOWN, "-m", "replay:run", "-n", "1", "--force"],
    ):  # fmt: skip
        assert grpo_env(*words)[0] == 0, words
        assert not imported(workplace), words
    code, _, told = grpo_env("eval", COUNTDOWN, "-m", "replay:run", "-n", "1")
    assert (code, "their environments differ" in told) == (2, True)
    assert not imported(workplace)


def test_a_run_without_a_signature_is_a_foreign_one(grpo_env):
    evaluated(grpo_env)
    path = open_run("run").path / "manifest.json"
    manifest = json.loads(path.read_text())
    path.write_text(json.dumps({key: value for key, value in manifest.items() if key != "signature"}))
    assert grpo_env("rescore", "run")[0] == 2


def test_trust_is_for_resuming(grpo_env):
    code, _, told = grpo_env("eval", SPIED, "-m", "gold", "--trust")
    assert (code, "--resume RUN" in told) == (2, True)


KEY = "sk-this-is-mine"


@pytest.fixture
def asked(grpo_env, monkeypatch):
    """Resumes a run whose manifest names a server, and gives what that server was sent as a key."""
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    with StubServer(says("3 2 1")) as server:

        def resumed(url=server.url, own=False, more=()):
            shutil.rmtree("run", ignore_errors=True)
            words = ["eval", COUNTDOWN, "-m", "openai:any", "-n", "2", "--out", "run", "--base-url", url]
            assert grpo_env(*words)[0] == 0
            (open_run("run").path / "episodes.jsonl").write_text("")
            if not own:
                changed("run", created="2020-01-01")
            server.asked.clear()
            code, _, told = grpo_env("eval", COUNTDOWN, "--resume", "run", *more)
            assert code == 0, told
            return {asked.request.headers.get("Authorization") for asked in server.asked}, told

        resumed.url = server.url
        yield resumed


def test_a_server_that_only_a_foreign_run_names_gets_no_key_and_it_is_said(asked):
    keys, told = asked()
    assert keys == {None}
    assert f"--base-url {asked.url}" in told
    assert KEY not in told
    assert asked(more=["--trust"])[0] == {None}


def test_a_server_that_is_typed_again_or_is_that_of_an_own_run_gets_the_key(asked, monkeypatch):
    assert asked(more=["--base-url", asked.url])[0] == {f"Bearer {KEY}"}
    assert asked(own=True)[0] == {f"Bearer {KEY}"}
    monkeypatch.setenv("OPENAI_BASE_URL", asked.url)  # the user's own, too
    assert asked()[0] == {f"Bearer {KEY}"}


def test_a_foreign_run_names_no_user_model_and_no_server_unasked(grpo_env, workplace):
    shop = "tests.talking:ModelShop"
    with StubServer(says("###STOP###")) as server:
        words = ["eval", shop, "-m", "gold", "--split", "all", "-n", "2", "--out", "run"]
        user = ["--user-model", "openai:customer", "--user-base-url", server.url]
        assert grpo_env(*words, *user)[0] == 0
        (open_run("run").path / "episodes.jsonl").write_text("")
        changed("run", created="2020-01-01")
        asked = server.requests
        for more, told in (([], "user_model 'openai:customer'"), (user[:2], "--user-base-url approves")):
            code, _, said = grpo_env("eval", shop, "--resume", "run", *more)
            assert (code, said.count("\n"), told in said) == (2, 1, True), said
        assert server.requests == asked
        assert grpo_env("eval", shop, "--resume", "run", *user)[0] == 0
        assert server.requests > asked


def test_a_foreign_run_is_resumed_with_the_server_that_is_typed_and_asks_no_other(grpo_env, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    shop = "tests.talking:ModelShop"
    with StubServer(says("###STOP###")) as theirs, StubServer(says("Thanks. ###STOP###")) as mine:
        words = ["--user-model", "openai:customer", "--user-base-url"]
        assert grpo_env("eval", shop, "-m", "gold", "-n", "1", "--out", "run", *words, theirs.url)[0] == 0
        (open_run("run").path / "episodes.jsonl").write_text("")
        changed("run", created="2020-01-01")
        before = theirs.requests
        code, _, said = grpo_env("eval", shop, "--resume", "run", *words, mine.url)
        assert (code, said.count("\n"), theirs.url in said) == (2, 1, True), said
        code, _, said = grpo_env("eval", shop, "--resume", "run", *words, mine.url, "--trust")
        assert (code, "user_base_url was" in said, mine.requests) == (2, True, 0), said  # it would be another run
        assert grpo_env("eval", shop, "--resume", "run", *words, mine.url, "--trust", "--force")[0] == 0
        assert (theirs.requests, mine.requests > 0) == (before, True)
        (episode,) = open_run("run").episodes()
    assert episode.messages[-1]["content"] == "Thanks."


def test_an_own_run_keeps_its_user_model(grpo_env):
    with StubServer(says("###STOP###")) as server:
        user = ["--user-model", "openai:customer", "--user-base-url", server.url]
        assert grpo_env("eval", "tests.talking:ModelShop", "-m", "gold", "-n", "1", "--out", "run", *user)[0] == 0
        (open_run("run").path / "episodes.jsonl").write_text("")
        asked = server.requests
        assert grpo_env("eval", "--resume", "run")[0] == 0
        assert server.requests > asked
        assert "user_model was" in grpo_env("eval", "--resume", "run", "--user-model", "openai:other")[2]
