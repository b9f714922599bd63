"""Text of servers, manifests, transcripts and packages: shown, and never obeyed by a terminal or a CI log."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys

import pytest

from grpo_env_sdk import evaluate
from grpo_env_sdk.cli import main
from grpo_env_sdk.plain_text import printable
from tests.forked_commands import user_environment
from tests.stub_server import StubServer, error

STEERING = (
    "\x1b[2J\x1b]0;owned\x07\x9b31m\r\x08\u202e\n::error file=a.py::forged\n  ::warning::w\n##[error]x ##vso[task.x]y"
)
OBEYED = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]|^\s*::|##\[|##vso\[", re.MULTILINE)
PARROT = "tests.policies.parrot:Parrot"


@pytest.fixture
def shown(tmp_path, monkeypatch, capfd):
    """Runs a command in an empty folder; all that it printed, of which nothing may be obeyed."""
    monkeypatch.chdir(tmp_path)

    def run(*words: str) -> str:
        capfd.readouterr()
        main([*words])
        told = capfd.readouterr()
        text = told.out + told.err
        assert OBEYED.findall(text) == []
        return text

    return run


def test_escapes_and_workflow_commands_become_visible():
    text = printable(STEERING)
    assert OBEYED.findall(text) == []
    assert r"\x1b[2J" in text
    assert r"\::error" in text
    assert r"##\[error]" in text


@pytest.mark.parametrize("text", ["Zürich\u00a0→ 東京\u3000 👩\u200d🚀", "a\tb\nc", "std::sort, a # b ## c", "\\n"])
def test_usual_text_stays_as_it_is(text):
    assert printable(text) == text


ENVIRONMENT = """
from grpo_env_sdk import ToolEnv, call_message, reward, tool

EVIL = {evil!r}

class Evil(ToolEnv):
    __doc__ = EVIL
    def __init__(self, option: str = EVIL):
        super().__init__()
    def build_dataset(self, tokenizer):
        return [{{"prompt": "Go. " + EVIL, "n": n, EVIL: EVIL}} for n in range(3)]
    def solve(self, row):
        yield call_message("look", where=EVIL)
        yield EVIL
    @tool
    def look(self, where: str) -> str:
        '''Look.'''
        return EVIL
    @reward
    def right(self, n):
        if n == 1:
            raise ValueError(EVIL)
        return 1.0

Evil.__name__ = "Evil"
"""


@pytest.mark.parametrize("words", [
    ["info", "evil_env:Evil"], ["play", "evil_env:Evil", "--gold"], ["play", "evil_env:Evil", "--gold", "--row", "1"],
    ["eval", "evil_env:Evil", "--model", "gold", "--split", "all"], ["play", "evil_env:Evil", "--gold", "--json"],
])  # fmt: skip
def test_what_an_environment_says_is_not_obeyed(words, shown, workplace, monkeypatch):
    workplace.write("evil_env.py", ENVIRONMENT.format(evil=STEERING))
    monkeypatch.syspath_prepend(str(workplace.folder))
    monkeypatch.chdir(workplace.folder)
    assert "right" in shown(*words)


def test_the_findings_of_a_check_are_not_obeyed(workplace, monkeypatch, capfd):
    workplace.write("evil_env.py", ENVIRONMENT.format(evil=STEERING))
    monkeypatch.syspath_prepend(str(workplace.folder))
    monkeypatch.chdir(workplace.folder)
    main(["test", "evil_env:Evil", "--quick", "--github", "--select", "S201"])
    told = capfd.readouterr()
    text = re.sub(r"^::(error|warning|notice) [^:]*::", "", told.out, flags=re.MULTILINE) + told.err
    assert "raise" in text
    assert OBEYED.findall(text) == []


def test_what_a_server_answers_is_not_obeyed(shown):
    with StubServer(error(400, STEERING)) as server:
        flags = ["--model", "openai:any", "--base-url", server.url, "--split", "all", "--rows", "2"]
        assert "http_400" in shown("eval", PARROT, *flags)


def test_what_a_package_says_of_itself_is_not_obeyed(site, shown):
    evil = "\x1b[2J\x9b31m ##[error]x\u202e"
    site.install(
        "evil-pack", envs={f"evil{evil}-v1": f"evil{evil}:X", "plain-v1": "evil_pack:X"}, summary=f"::error::{evil}"
    )
    hooks = f"""
        from grpo_env_sdk import CommandSpec, EnvSpec, hookimpl

        @hookimpl
        def grpo_env_register_envs():
            return [EnvSpec("more/evil-v1", "evil_hooks:X", summary={evil!r}, needs={evil!r}), {evil!r}]

        @hookimpl
        def grpo_env_register_commands():
            return [CommandSpec("walk", {evil!r}, "evil_hooks:walk")]
    """
    site.install("evil-hooks", plugins={f"hooks{evil}": "evil_hooks"}, modules={"evil_hooks.py": hooks})
    for words in (["list"], ["list", "-v"], ["list", "--json"], ["info", "plain-v1"], ["--help"], ["--version"]):
        assert shown(*words)


def test_a_changed_manifest_and_record_are_not_obeyed(shown, tmp_path):
    evaluate(PARROT, "echo", split="all", out=tmp_path / "runs/one")
    manifest = tmp_path / "runs/one/manifest.json"
    for key in ("env", "policy", "created", "split", "config"):
        found = json.loads(manifest.read_text())
        manifest.write_text(json.dumps({**found, key: STEERING}))
        for words in (
            ["runs"],
            ["runs", "show", "runs/one"],
            ["rescore", "runs/one"],
            ["eval", "--resume", "runs/one"],
        ):
            assert shown(*words)
        assert shown("view", "runs/one", "--export", "page.html")
        manifest.write_text(json.dumps(found))


PRINTS = """
import os
from grpo_env_sdk import SingleTurnEnv

class Prints(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": "Go."}]
    def score_episode(self, model, tokenizer, completion):
        os.write(2, STEERING.encode() + b" and \\x1b[31mred")
        return float(any(map(os.isatty, range(3))))
"""


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="no bubblewrap")
def test_what_code_in_a_sandbox_prints_is_text_and_it_has_no_terminal(tmp_path):
    (tmp_path / "printer.py").write_text(f"STEERING = {STEERING!r}\n{PRINTS}")
    ours, terminal = pty.openpty()
    words = ["eval", "printer:Prints", "--model", "echo", "--split", "all", "--env-pool", "sandbox", "--json"]
    ended = subprocess.run(
        [sys.executable, "-m", "grpo_env_sdk", *words], cwd=tmp_path, env=user_environment(), stdin=terminal,
        stderr=terminal, stdout=subprocess.PIPE, check=True,
    )  # fmt: skip
    os.close(terminal)
    shown = os.read(ours, 1 << 16).decode()
    os.close(ours)
    assert json.loads(ended.stdout)["reward"]["mean"] == 0.0
    assert r"\x1b[2J\x1b]0;owned" in shown
    assert "\x1b]0;owned" not in shown
    assert r"##\[error]" in shown
    assert "and \x1b[31mred" in shown
