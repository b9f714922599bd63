"""What the READMEs point to: documentation that exists."""

import re

import pytest

from tests.doc_pages import ROOT

READMES = sorted([
    *ROOT.glob("plugins/*/README.md"), *ROOT.glob("example_envs/*/README.md"),
    ROOT / "grpo_env_sdk/scaffold/templates/shared/README.md",
])  # fmt: skip
PACKAGED = sorted([*ROOT.glob("**/pyproject.toml"), ROOT / "README.md", *READMES])


def _name(path):
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", [path for path in PACKAGED if ".venv" not in path.parts], ids=_name)
def test_nothing_links_to_a_package_index_page_that_need_not_exist(path):
    assert not re.search(r"pypi\.org|pypi\.python\.org", path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", READMES, ids=_name)
def test_a_readme_leads_to_the_documentation(path):
    text = path.read_text(encoding="utf-8")
    assert "](../../docs/" in text or "`grpo-env --help`" in text
