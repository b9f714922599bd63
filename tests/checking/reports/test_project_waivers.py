"""What a project waives in its pyproject.toml, and for whom."""

from dataclasses import replace

import pytest

from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.project_waivers import project_waivers
from grpo_env_sdk.checking.reports.waivers import apply_waivers
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.types import EnvSpec

SUMS = EnvSpec("sums-v1", "sums:Sums", "sums-envs")
THEIRS = replace(SUMS, distribution="other-sums")


@pytest.fixture
def waivers(tmp_path, site):
    """Writes tables of waivers, each for the check C120: gives what a project waives of an environment."""
    for package in ("sums-envs", "other-sums"):
        site.install(package, envs={"sums-v1": "json:tool"})

    def of(env, *names):
        tables = [f'[tool.grpo-env.waive."{name}"]\nC120 = "by {name}"\n' for name in names]
        (tmp_path / "pyproject.toml").write_text("".join(tables))
        return project_waivers(env, tmp_path)

    return of


def test_a_project_waives_by_environment(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.grpo-env.waive."sums-v1"]\ncontract = "still being written"\n')
    (tmp_path / "deeper").mkdir()
    assert project_waivers(replace(SUMS, id="other-v1"), tmp_path).reasons == {}
    made = Report("sums-v1", [Finding("Rows differ.", severity="error", check="C120")])
    apply_waivers(made, project_waivers(SUMS, tmp_path / "deeper"))
    assert (made.verdict, len(made.waived)) == ("sound", 1)


def test_a_waiver_under_a_package_is_for_that_package_alone_and_goes_first(waivers):
    assert waivers(THEIRS, "sums-envs:sums-v1").reasons == {}
    for named in ("sums-envs:sums-v1", "Sums_Envs:sums-v1"):
        for names in ((named, "sums-v1"), ("sums-v1", named)):
            assert waivers(SUMS, *names).reasons == {"C120": f"by {named}"}
            assert waivers(THEIRS, *names).reasons == {"C120": "by sums-v1"}


@pytest.mark.parametrize(
    ("name", "near"), [("smus-v1", "'sums-v1'"), ("sums", "'sums-v1'"), ("sum-envs:sums-v1", "'sums-envs:sums-v1'")]
)
def test_a_name_that_no_environment_has_is_noted_with_a_near_one(waivers, name, near):
    made = Report("sums-v1")
    apply_waivers(made, waivers(SUMS, name))
    (found,) = made.findings
    assert (found.severity, found.check) == ("info", "C190")
    assert f"has waivers for {name!r}, and no installed environment has that name" in found.message
    assert f"Did you mean {near}" in found.hint


def test_names_of_other_environments_and_import_paths_are_not_noted(waivers, site, tmp_path):
    site.install("cubes", envs={"cubes-v1": "json:tool"})
    (tmp_path / "mine.py").write_text("")
    assert waivers(SUMS, "sums-v1", "other-sums:sums-v1", "cubes-v1", "json.tool:main", "mine:Mine").of_nothing == {}
    assert list(waivers(SUMS, "no_such_module:Mine").of_nothing) == ["no_such_module:Mine"]


def test_a_project_that_waives_without_a_reason_is_refused(tmp_path):
    (tmp_path / "pyproject.toml").write_text('[tool.grpo-env.waive."sums-v1"]\nC120 = " "\n')
    with pytest.raises(UsageError, match="the waiver 'C120' has no reason"):
        project_waivers(SUMS, tmp_path)


@pytest.mark.parametrize(
    "text", ['[tool.grpo-env]\nwaive = "C120"\n', "[tool]\ngrpo-env = 3\n", "[tool.grpo-env.waive]\nsums-v1 = 3\n"]
)
def test_a_project_whose_waivers_are_no_table_is_refused(tmp_path, text):
    (tmp_path / "pyproject.toml").write_text(text)
    with pytest.raises(UsageError, match=r"of \[tool.grpo-env.waive.* is "):
        project_waivers(SUMS, tmp_path)
