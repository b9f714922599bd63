"""Every code block of the docs is run or checked, and every link has a target."""

import gc
import logging
import re
import subprocess
import sys
from collections import Counter
from importlib import import_module

import pytest
import yaml

from grpo_env_sdk import hookspecs, rewards, views
from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.cli import COMMANDS
from grpo_env_sdk.evaluation.metrics import Metrics
from grpo_env_sdk.types import STOP_REASONS
from tests.doc_blocks import PAGES, ROOT, blocks_of
from tests.doc_pages import COLUMNS, Session, run_command, with_helps

NOT_RUN = {
    "README.md: a minute of training": 1,
    "docs/index.md: a minute of training": 1,
    "docs/compare-runs.md: needs a hub": 2,
    "docs/evaluate.md: needs a server": 2,
    "docs/export-and-eval.md: needs a trained model": 3,
    "docs/evaluate.md: needs a hand on the keyboard": 1,
    "docs/isolation.md: needs Ray": 1,
    "docs/move-here.md: needs a hub": 1,
    "docs/other-frameworks.md: needs bfcl-eval": 1,
    "docs/other-frameworks.md: needs inspect-ai": 1,
    "docs/other-frameworks.md: needs mcp": 1,
    "docs/other-frameworks.md: needs openenv-core": 2,
    "docs/other-frameworks.md: needs textarena": 2,
    "docs/other-frameworks.md: needs verifiers": 1,
    "docs/packaging.md: needs the network": 1,
    "docs/quantisation.md: needs a hub and a GPU": 2,
    "docs/read-a-run.md: serves until it is stopped": 1,
    "docs/several-environments.md: two minutes of training": 2,
    "docs/scale.md: needs CUDA": 2,
    "docs/scale.md: needs eight GPUs": 1,
    "docs/scale.md: needs several GPUs": 5,
    "docs/scale.md: needs the hub": 3,
    "docs/scale.md: half a minute, and figures of a machine": 1,
    "docs/images.md: needs a hub and a GPU": 1,
    "docs/train.md: a minute of training": 1,
    "docs/train.md: continues a run that was stopped": 1,
    "docs/train.md: two processes for a minute": 1,
    "docs/train.md: needs a hub": 2,
    "docs/train.md: needs a hub and a GPU": 1,
    "docs/unsloth.md: needs a hub and a GPU": 1,
    "docs/vllm.md: needs a hub and a GPU": 2,
    "docs/your-own-data.md: needs the hub": 2,
    "plugins/grpo-env-trl/README.md: needs a hub": 1,
}
"""Blocks that a test cannot run, why, and how many; their flags are checked."""

PUBLIC = [
    "grpo_env_sdk", "grpo_env_sdk.checking", "grpo_env_sdk.ext", "grpo_env_sdk.policies", "grpo_env_sdk.rewards",
    "grpo_env_sdk.views", "grpo_env_trl",
]  # fmt: skip
"""Packages whose `__all__` is on the API page."""

SITE = [page for page in PAGES if page.parts[0] == "docs"]


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_a_page_does_what_it_shows(page, site, registered, monkeypatch, caplog):
    folder = site.folder / "page"
    folder.mkdir()
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)  # or a rewritten file would be read from its old bytecode
    session = Session(site)
    for block in blocks_of(page):
        session.follow(block)
    session.end()
    gc.collect()  # asyncio logs an exception that was never retrieved
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_blocks_that_do_not_run_are_few_and_known():
    found = Counter(f"{page}: {block.not_run}" for page in PAGES for block in blocks_of(page) if block.not_run)
    assert found == NOT_RUN


def test_every_page_is_in_the_navigation_once():
    entries = yaml.safe_load((ROOT / "mkdocs.yml").read_text())["nav"]
    listed = [path for entry in entries for path in _paths(entry)]
    assert sorted(listed) == sorted(str(page.relative_to("docs")) for page in SITE)


def _paths(entry):
    if isinstance(entry, str):
        return [entry]
    return [path for value in entry.values() for inner in ([value] if isinstance(value, str) else value)
            for path in _paths(inner)]  # fmt: skip


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_every_relative_link_leads_somewhere(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", _prose(page)):
        if re.match(r"\w+:", target):
            continue
        path, _, anchor = target.partition("#")
        file = (ROOT / page).parent / path if path else ROOT / page
        assert file.exists(), f"{page} links to {target}"
        if anchor:
            headings = re.findall(r"^#+ (.*)$", file.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in map(_slug, headings), f"{page} links to {target}"


def _prose(page):
    return re.sub(r"^( *)```.*?^\1```", "", (ROOT / page).read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)


def _slug(heading):
    return re.sub(r"[^\w]+", "-", re.sub(r"[`*']", "", heading).lower()).strip("-")


@pytest.mark.parametrize("page", PAGES, ids=str)
def test_no_page_names_a_command_that_does_not_exist(page):
    named = set(re.findall(r"`grpo-env ([a-z]+)", _prose(page)))
    known = {*COMMANDS, "train", "export", "llm", "shout"}  # `shout` is the command of the plugin in extend.md
    assert named <= known, page


@pytest.mark.parametrize(("page", "names"), [
    ("docs/cli.md", [f"$ grpo-env {name} --help" for name in [*COMMANDS, "train", "export"]]),
    ("docs/rewards.md", [f"`{name}" for name in rewards.__all__]),
    ("docs/long-episodes.md", [f"`{name}" for name in views.__all__ if name.islower()]),
    ("docs/evaluate.md", [f"`{name}`" for name in Metrics().summary()]),
    ("docs/read-a-run.md", [f"`{name}`" for name in STOP_REASONS]),
    ("docs/extend.md", [name for name in dir(hookspecs) if name.startswith("grpo_env_")]),
])  # fmt: skip
def test_what_a_page_promises_to_list_is_all_there(page, names):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert [name for name in names if name not in text] == []


def test_every_check_has_a_section():
    pages = "".join(page.read_text(encoding="utf-8") for page in (ROOT / "docs" / "checks").glob("*.md"))
    titles = "".join(re.findall(r"^##.*$", pages, re.MULTILINE))
    assert [name for name in all_checks() if not re.search(rf"\b{name}\b", titles)] == []


@pytest.mark.parametrize("package", PUBLIC)
def test_the_api_pages_have_every_public_name_once(package):
    text = "".join((ROOT / "docs" / page).read_text(encoding="utf-8") for page in ("api.md", "api-ext.md"))
    listed = re.findall(r"^::: (\S+)$", text, re.MULTILINE)
    assert len(listed) == len(set(listed))
    if package not in listed:  # a package in one line shows what is in its `__all__`
        names = [name for path in listed if path.startswith(f"{package}.") for name in [path.rpartition(".")[2]]]
        assert set(import_module(package).__all__) - set(names) == set()


@pytest.mark.parametrize("command", [*COMMANDS, "train", "export"])
def test_every_help_ends_with_an_example(command):
    code, shown = run_command([command, "--help"])
    assert code == 0
    assert f"example:\n  grpo-env {command}" in shown


def test_an_empty_help_block_gets_its_help_and_what_follows_stays(monkeypatch):
    monkeypatch.setenv("COLUMNS", COLUMNS)
    empty = "# Runs\n\n```console\n$ grpo-env runs --help\n```\n"
    rest = "\n## Then\n\nText.\n\n```console\n$ grpo-env list\n```\n"
    written = with_helps(empty + rest)
    assert written.startswith("# Runs\n\n```console\n$ grpo-env runs --help\nusage: grpo-env runs")
    assert written.endswith(rest)
    assert with_helps(written) == written


def test_the_site_builds_without_a_warning(tmp_path):
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", str(tmp_path / "site")],
        cwd=ROOT, capture_output=True, text=True,
    )  # fmt: skip
    assert built.returncode == 0, built.stderr
    assert (tmp_path / "site" / "schemas" / "episode-v1.json").exists()
