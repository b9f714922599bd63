"""Type checkers see the public API as it is: a strict script passes, and mistakes in a call are found."""

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import grpo_env_sdk
from tests import typed_script
from tests.doc_blocks import blocks_of

SCRIPT = Path(typed_script.__file__)
MISTAKES = """
from grpo_env_sdk import Environment, evaluate, make, to_gymnasium


class Unscored:
    def build_dataset(self, tokenizer: object) -> list[dict[str, str]]:
        return []


def rows_of(env: Environment) -> None: ...


rows_of(Unscored())  # wrong
evaluate("hotel-v1", sample=2)  # wrong
evaluate("hotel-v1", limits={"turns": 5})  # wrong
evaluate("hotel-v1", split="tset")  # wrong
evaluate("hotel-v1").episodes[0].rewrads  # wrong
reveal_type(make("hotel-v1"))
reveal_type(make("hotel-v1").desk)
reveal_type(to_gymnasium("hotel-v1"))
"""


@pytest.fixture(scope="module")
def said(tmp_path_factory):
    """What `mypy --strict` prints of the scripts and of the mistakes, in one run with the repository's cache."""
    mistakes = tmp_path_factory.mktemp("typed") / "mistakes.py"
    mistakes.write_text(MISTAKES)
    plugins = [block for block in blocks_of(Path("docs/extend.md")) if str(block.title).endswith(".py")]
    named = {str(block.title): block.text for block in plugins if not str(block.title).startswith("test_")}
    files = [mistakes.with_name(name) for name in named]
    for file, text in zip(files, named.values(), strict=True):
        file.write_text(text)
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", str(SCRIPT), str(mistakes), *map(str, files)],
        cwd=SCRIPT.parent.parent, capture_output=True, text=True,
    )  # fmt: skip
    assert not done.stderr
    lines = done.stdout.splitlines()
    of_mistakes = [line for line in lines if f"{mistakes.name}:" in line]  # its folder may be that of a cached run
    return [line for line in lines if line not in of_mistakes], of_mistakes


def test_a_strict_script_and_the_plugins_of_the_docs_pass(said):
    assert said[0] == []


def test_mistakes_are_found_and_what_is_given_has_a_type(said):
    lines = said[1]
    wrong = [number for number, line in enumerate(MISTAKES.splitlines(), 1) if line.endswith("# wrong")]
    assert [int(line.split(":")[1]) for line in lines if " error: " in line] == wrong
    revealed = [found[1] for line in lines if (found := re.search(r'Revealed type is "(.*)"', line))]
    assert revealed == [
        "grpo_env_sdk.envs.protocol.AnyEnvironment", "Any", "gymnasium.core.Env[Any, Any]"
    ]  # fmt: skip


def test_the_script_uses_every_public_name():
    tree = ast.parse(SCRIPT.read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and node.module == "grpo_env_sdk"]
    imported = {alias.name for node in imports for alias in node.names}
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    assert imported == set(grpo_env_sdk.__all__)
    assert imported <= used


def test_the_script_runs(tmp_path, registered):
    assert "1.0 True 1.0" in typed_script.main(tmp_path)
