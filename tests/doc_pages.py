"""Runs the code blocks of one page from top to bottom in one folder, as a reader would.

`python -m tests.doc_pages` writes the real `--help` of each command into the pages that show it.
"""

import contextlib
import csv
import importlib
import io
import json
import linecache
import os
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tomllib
import warnings
from importlib.metadata import EntryPoint
from pathlib import Path

import yaml

from grpo_env_sdk.cli import COMMANDS, command_module, main
from grpo_env_sdk.cli.parser import Parser
from grpo_env_sdk.registry.entry_points import ENVS, PLUGINS
from grpo_env_sdk.registry.lookup import suggested_id
from grpo_env_trl.settings import read_settings
from tests.doc_blocks import PAGES, ROOT, check_shown, commands_of

FREE = {"text", "mermaid"}
PACKAGES = {
    "grpo-env-sdk", "grpo-env-sdk[math]", "grpo-env-trl", "grpo-env-trl[vllm]", "grpo-env-hotel", "build", "twine",
    "grpo-env-arithmetic", "grpo-env-code", "grpo-env-judge", "grpo-env-sql", "grpo-env-tickets", "grpo-env-wordle",
    "grpo-env-shapes", "grpo-env-sdk[images]", "grpo-env-trl[images]",
    "grpo-env-gymnasium", "grpo-env-ray", "grpo-env-reasoning-gym", "grpo-env-reasoning-gym[all]",
}  # fmt: skip
"""What pages may install, beside the package that a page is about."""
COLUMNS = "80"
_LASTING = ("grpo-env: ", "note: ")
"""How the lines of stderr that pages show begin; the rest is progress."""


class Session:
    """The state of a reader who follows one page: a folder, a Python namespace, a terminal."""

    def __init__(self, site):
        self.site = site
        self.namespace = {"__name__": "__main__"}
        self.modules = []
        self.installed = ["grpo-env-hotel"]

    def follow(self, block):
        """Run a block, and check that its result is what the page shows."""
        if block.title and not block.not_run:
            self.write(block)
        if block.language in FREE:
            return
        rule = getattr(self, f"_{block.language}", None)
        assert rule is not None, f"{block.place}: no rule for a block of {block.language or 'no language'}"
        rule(block)

    def write(self, block):
        """Write the file that a block has as its title; a module that was imported before is imported again."""
        path = Path(block.title)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(block.text, encoding="utf-8")
        if path.suffix == ".py" and not path.stem.startswith("test_"):
            name = ".".join(path.with_suffix("").parts).removesuffix(".__init__")
            sys.modules.pop(name, None)
            self.modules.append(name)
        importlib.invalidate_caches()

    def end(self):
        """Import every module that the page wrote."""
        for name in self.modules:
            importlib.import_module(name)

    def _python(self, block):
        text = "\n" * int(block.place.rpartition(":")[2]) + block.text
        code = compile(text, block.place, "exec")
        if block.title or block.not_run:
            return
        linecache.cache[block.place] = (len(text), None, text.splitlines(keepends=True), block.place)  # as of a cell
        with contextlib.redirect_stdout(io.StringIO()) as printed:
            exec(code, self.namespace)
        shown = re.findall(r"# prints (.*)", block.text)
        check_shown(f"{block.place}, its `# prints` lines", shown, printed.getvalue())

    def _json(self, block):
        json.loads(block.text)

    def _jsonl(self, block):
        assert [json.loads(line) for line in block.text.splitlines()]

    def _csv(self, block):
        assert len({len(row) for row in csv.reader(io.StringIO(block.text))}) == 1, block.place

    def _yaml(self, block):
        read = yaml.safe_load(block.text)
        assert read
        for ours in filter(None, map(_ours_in, _run_by(read))):
            check_flags(ours)

    def _toml(self, block):
        for group, points in tomllib.loads(block.text).get("project", {}).get("entry-points", {}).items():
            assert group in (ENVS, PLUGINS), f"{block.place}: the SDK does not read the group {group}"
            for name, value in points.items():
                assert EntryPoint.pattern.fullmatch(value), f"{block.place}: {value}"
                assert group == PLUGINS or suggested_id(name) == name, f"{block.place}: {name}"

    def _bash(self, block):
        """A script that needs other machines: bash reads it, and the flags of our commands in it exist."""
        subprocess.run(["bash", "-n"], input=block.text, text=True, check=True)
        commands = [ours for line in block.text.replace("\\\n", "").splitlines() if (ours := _ours_in(line))]
        assert commands, f"{block.place}: no command of ours"
        for words in commands:
            check_flags(words)

    def _console(self, block):
        for command, shown in commands_of(block):
            words = shlex.split(command, comments=True)
            place = f"{block.place}: $ {command}"
            if block.not_run and (ours := words_of_ours(words)):
                check_flags(ours)
            elif not block.not_run:
                rule = getattr(self, f"_run_{words[0].replace('-', '_')}", None)
                assert rule is not None, f"{place}: no rule for this command"
                rule(place, words[1:], shown, command)

    def _run_grpo_env(self, place, words, shown, command):
        typed = [line[2:] for line in shown if line.startswith("> ")]
        code, printed = run_command(words, typed)
        refused = any(line.startswith("grpo-env: ") for line in shown)
        failed = any(mark in line for line in shown for mark in (": findings ", ": failed, "))
        expected = 2 if refused else int(failed)
        assert code == expected, f"{place} exits with {code}:\n{printed}"
        if "--help" in words and sys.version_info >= (3, 13):  # argparse formats help in another way
            return
        if words == ["list"]:  # a reader has only the packages that the page installs
            heading, *rows = printed.splitlines(keepends=True)
            printed = heading + "".join(row for row in rows if any(name in row for name in self.installed))
        if shown:
            check_shown(place, shown, printed, exactly="--help" in words)

    def _run_cd(self, place, words, shown, command):
        os.chdir(words[0])

    def _run_make(self, place, words, shown, command):
        assert re.search(rf"^{words[0]}:", (ROOT / "Makefile").read_text(), re.MULTILINE), place

    def _run_pip(self, place, words, shown, command):
        assert words[0] == "install", place
        for word in words[1:]:
            if word.startswith("."):
                self._install(tomllib.loads(Path("pyproject.toml").read_text())["project"])
            else:
                assert word in {*PACKAGES, "-e"}, f"{place}: {word} is not in PACKAGES"

    def _install(self, project):
        """Install the project in this folder as pip would: its modules on the path, and its metadata."""
        points = project.get("entry-points", {})
        for before in self.site.folder.glob(f"{project['name'].replace('-', '_')}-*.dist-info"):
            shutil.rmtree(before)
        self.site.install(
            project["name"], version=project["version"], summary=project.get("description", ""),
            envs=points.get(ENVS), plugins=points.get(PLUGINS),
        )  # fmt: skip
        self.installed.append(project["name"])
        sys.path.insert(0, os.getcwd())

    def _run_pytest(self, place, words, shown, command):
        self._run_outside(place, [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *words], shown, command)

    def _run_python(self, place, words, shown, command):
        self.modules = [name for name in self.modules if name != Path(words[0]).stem]  # a script is not imported
        with contextlib.redirect_stdout(io.StringIO()) as printed, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            runpy.run_path(words[0], run_name="__main__")  # here, where torch and TRL are imported already
        if shown:
            check_shown(place, shown, printed.getvalue())

    def _run_jq(self, place, words, shown, command):
        if shutil.which("jq"):  # not installed everywhere
            self._run_outside(place, ["jq", *words], shown, command)

    def _run_ls(self, place, words, shown, command):
        self._run_outside(place, ["ls", *words], shown, command)

    def _run_outside(self, place, words, shown, command):
        ours = [item for item in sys.path if item.startswith(str(self.site.folder))]
        path = os.pathsep.join([str(ROOT), *ours, *filter(None, [os.environ.get("PYTHONPATH")])])
        done = subprocess.run(words, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": path})
        assert done.returncode == 0, f"{place}:\n{done.stdout}{done.stderr}"
        if shown:
            check_shown(place, shown, done.stdout)


class Keyboard(io.StringIO):
    """Typed lines, which also appear on the screen."""

    def readline(self, *size):
        """The next line, shown as a terminal shows it."""
        line = super().readline(*size)
        sys.stdout.write(line)
        return line


def run_command(words, typed=()):
    """The exit code of `grpo-env`, and its output without progress."""
    before, out, err = sys.stdin, io.StringIO(), io.StringIO()
    sys.stdin = Keyboard("".join(f"{line}\n" for line in typed))
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err), warnings.catch_warnings():
            code = main(words)
    except SystemExit as end:  # argparse, after --help
        code = end.code or 0
    finally:
        sys.stdin = before
    lasting = [line for line in err.getvalue().splitlines(keepends=True) if line.startswith(_LASTING)]
    return code, "".join(lasting) + out.getvalue()


def words_of_ours(words):
    """The words after `grpo-env`, or after `-m grpo_env_sdk` behind a launcher; empty where there is neither."""
    begins = [place + 1 for place, word in enumerate(words) if word in ("grpo-env", "grpo_env_sdk")]
    return words[begins[0] :] if begins else []


def _run_by(workflow):
    """The lines of every `run` of a workflow, or of a part of one."""
    if isinstance(workflow, dict):
        yield from str(workflow.get("run", "")).splitlines()
    for part in workflow.values() if isinstance(workflow, dict) else workflow if isinstance(workflow, list) else ():
        yield from _run_by(part)


def _ours_in(line):
    return [] if line.lstrip().startswith("#") else words_of_ours(shlex.split(line.removesuffix("&")))


def check_flags(words):
    """Raise if a command that is shown and not run has flags that do not exist."""
    if words[0] == "train":
        read_settings(words[1:])
        return
    assert words[0] in {*COMMANDS, "export"}, f"{words[0]} is not a command"
    module = (
        command_module(words[0]) if words[0] in COMMANDS else importlib.import_module("grpo_env_trl.export_command")
    )
    parser = Parser(f"grpo-env {words[0]}", "", "")
    module.configure(parser)
    parser.parse_args(words[1:])


def with_helps(text):
    """The text of a page with the real help in every block that shows a `--help`, also in an empty one."""

    def real(found):
        return f"{found.group(1)}{run_command(shlex.split(found.group(2)))[1].rstrip()}\n```\n"

    return re.sub(r"(^```console\n\$ grpo-env ([^\n]*--help)\n).*?^```\n", real, text, flags=re.DOTALL | re.MULTILINE)


def write_helps(page):
    """Write the real help into every block of a page that shows one."""
    path = ROOT / page
    path.write_text(with_helps(path.read_text(encoding="utf-8")))


if __name__ == "__main__":
    os.environ["COLUMNS"] = COLUMNS
    for each in PAGES:
        write_helps(each)
