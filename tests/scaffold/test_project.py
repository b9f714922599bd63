"""A new environment package, made from templates."""

import ast
import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from grpo_env_sdk import evaluate, load
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.scaffold.project import KINDS, check_name, init_package
from tests.full_disk import no_file_above

FILES = {".gitignore", "README.md", "demo_task/__init__.py", "demo_task/env.py", "pyproject.toml", "tests/test_env.py"}
PATH = "demo_task.env:DemoTaskEnv"


def made(folder):
    """Every file in a folder, by its path."""
    return {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(params=KINDS)
def package(request, site):
    """A package of each kind, on the path."""
    folder = init_package("demo-task", request.param, site.folder.parent)
    for name, text in made(folder).items():
        site.write(name, text)
    return request.param, folder


def test_every_kind_makes_the_same_files(package):
    _, folder = package
    assert folder.name == "demo-task"
    assert set(made(folder)) == FILES


def test_every_file_is_filled_in_and_every_module_is_valid_python(package):
    for name, text in made(package[1]).items():
        assert "$" not in text, name
        if name.endswith(".py"):
            ast.parse(text)


def test_the_project_names_its_environment(package):
    project = tomllib.loads((package[1] / "pyproject.toml").read_text())
    assert project["project"]["name"] == "demo-task"
    assert project["project"]["entry-points"]["grpo_env_sdk.envs"] == {"demo-task-v1": "demo_task:DemoTaskEnv"}


def test_it_is_of_its_kind(package):
    kind, _ = package
    assert load(PATH).traits.kind == {"plain": "single-turn"}.get(kind, kind)


@pytest.mark.parametrize("split", ["train", "test"])
def test_its_gold_solution_scores_one_on_every_row(package, split):
    summary = evaluate(PATH, "gold", split=split).summary
    assert (summary["reward"]["mean"], summary["errors"]) == (1.0, {})


def test_other_answers_score_low(package):
    for policy in ("random", "echo"):
        assert evaluate(PATH, policy, split="train", rows=20).summary["reward"]["mean"] < 0.3


def test_its_own_tests_are_about_its_own_environment(package):
    text = (package[1] / "tests" / "test_env.py").read_text()
    assert 'spec("demo-task-v1").entry_point == "demo_task:DemoTaskEnv"' in text


def test_a_second_environment_without_checks_fails_a_test_that_names_it(site):
    folder = init_package("demo-task", parent=site.folder.parent)
    envs = {"demo-task-v1": "demo_task:DemoTaskEnv", "other-task-v1": "demo_task:DemoTaskEnv"}
    site.install("demo-task", envs=envs)
    tests = folder / "tests" / "test_env.py"

    def run():
        return subprocess.run(
            [sys.executable, "-m", "pytest", "-q", "-k", "every_environment", str(tests)], capture_output=True,
            text=True, cwd=folder, env={**os.environ, "PYTHONPATH": str(site.folder)},
        )  # fmt: skip

    failed = run()
    assert failed.returncode == 1
    assert "add an EnvironmentContract for each of ['other-task-v1']" in failed.stdout
    with tests.open("a") as file:
        file.write('\n\nclass TestOther(EnvironmentContract):\n    env = "other-task-v1"\n')
    assert run().returncode == 0


def test_pytest_says_why_it_skipped_a_test(tmp_path):
    folder = init_package("demo-task", parent=tmp_path)
    (folder / "tests" / "test_env.py").write_text("import pytest\n\ndef test_it(): pytest.skip('two warnings')\n")
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    assert "two warnings" in subprocess.run(command, cwd=folder, capture_output=True, text=True).stdout


def test_a_workflow_comes_when_asked_for(tmp_path):
    folder = init_package("demo-task", parent=tmp_path, with_ci=True)
    assert set(made(folder)) == FILES | {".github/workflows/test.yml"}


def test_nothing_is_ever_overwritten(tmp_path):
    folder = init_package("demo-task", parent=tmp_path)
    (folder / "README.md").write_text("mine")
    before = made(folder)
    with pytest.raises(UsageError, match=r"demo-task' already exists\. Use another name, or move it away\."):
        init_package("demo-task", "plain", tmp_path)
    assert made(folder) == before


def test_a_file_of_that_name_is_left_alone_too(tmp_path):
    (tmp_path / "demo-task").write_text("mine")
    with pytest.raises(UsageError, match="already exists"):
        init_package("demo-task", parent=tmp_path)


def test_an_unknown_kind_is_answered_with_the_nearest_and_makes_nothing(tmp_path):
    with pytest.raises(UsageError, match=r"No kind named 'tool'\. Did you mean 'tools'\?"):
        init_package("demo-task", "tool", tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written_to_is_told():
    with pytest.raises(
        UsageError, match=r"'/proc/demo-task' cannot be created: .*\. Use a folder that you can write to\."
    ):
        init_package("demo-task", parent=Path("/proc"))


@pytest.mark.parametrize("name", ["demo-task", "demo", "a", "x2", "grpo-env-maze", "maze-2d"])
def test_good_names_pass(name):
    check_name(name)


@pytest.mark.parametrize(
    ("name", "good"),
    [
        ("Demo Task", "demo-task"),
        ("demo_task", "demo-task"),
        ("DemoTask", "demo-task"),
        ("demo-task-v1", "demo-task"),
        ("demo--task", "demo-task"),
        ("-demo", "demo"),
        ("demo-", "demo"),
        ("2048", "env-2048"),
        ("démo", "demo"),
        ("../demo", "demo"),
        ("a/b", "a-b"),
        ("!!!", "my-env"),
        ("", "my-env"),
    ],
)
def test_bad_names_are_answered_with_a_good_one(name, good):
    with pytest.raises(
        UsageError, match=rf" is not a valid package name\. Use '{good}': lowercase words and hyphens\.$"
    ):
        check_name(name)
    check_name(good)


@pytest.mark.parametrize("name", ["json", "test", "tests", "class", "import", "grpo-env-sdk", "datasets", "gymnasium"])
def test_names_that_would_hide_something_are_answered_with_a_longer_one(name):
    package = name.replace("-", "_")
    with pytest.raises(UsageError, match=rf"'{name}' would hide .*'{package}'\. Use '{name}-task'\.$"):
        check_name(name)
    check_name(f"{name}-task")


def test_a_name_whose_id_is_installed_already_is_answered_with_a_longer_one(site, tmp_path):
    site.install("their-mazes", envs={"maze-v1": "their_mazes:Maze"})
    with pytest.raises(UsageError, match=r"'maze-v1' .* of their-mazes\. Use 'maze-task'\.$"):
        init_package("maze", parent=tmp_path)
    check_name("maze-task")
    site.install("maze-task", envs={"maze-task-v1": "maze_task:MazeTaskEnv"})
    check_name("maze-task")  # it was installed from a folder that is gone


def test_a_disk_that_is_full_leaves_no_half_made_package_in_the_way_of_the_next_try(tmp_path):
    with no_file_above(600), pytest.raises(UsageError, match="cannot be created"):
        init_package("demo-task", parent=tmp_path)
    assert [*tmp_path.iterdir()] == []
    assert set(made(init_package("demo-task", parent=tmp_path))) == FILES
