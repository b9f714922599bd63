"""Classes and instances that act as they are read: one line, or errors of episodes, whatever reads them."""

import pytest

from grpo_env_sdk.cli import main
from tests.hostile import odd_classes
from tests.hostile.odd_classes import HOOKS, PROPERTIES, VALUES

EVAL = ("eval", "--model", "gold", "--split", "all", "--limit-call", "30")
IN_PROCESSES = ("--env-pool", "process", "--env-workers", "1")
FEW = (
    "Hook__getattr___Plain", "Hook__getattribute___Calling", "Meta_Stepping", "Property_rewards_Calling",
    "Property_class_Plain", "Property_close_Stepping", "Value_reward_range_Rewarded",
)  # fmt: skip


@pytest.fixture
def told(tmp_path, monkeypatch, capfd):
    """The exit code of a command with one of the classes, and the last line of its errors; none shows code of ours."""
    monkeypatch.chdir(tmp_path)

    def run(act, name, command, *flags):
        monkeypatch.setenv("ODD_CLASSES_ACT", act)
        code = main([command, f"{odd_classes.__name__}:{name}", *flags])
        errors = capfd.readouterr().err
        assert "Traceback" not in errors
        lines = [line for line in errors.splitlines() if line.startswith("grpo-env: ")]
        assert len(lines) == (code == 2), errors
        return code, " ".join(lines)

    return run


@pytest.mark.parametrize("name", [*HOOKS, *PROPERTIES, *VALUES])
def test_an_attribute_that_interrupts_is_one_line_or_has_no_effect_on_the_run(told, name):
    code, line = told("interrupt", name, *EVAL, "--limit-build", "30")
    assert code in (0, 1, 2)
    assert code != 2 or name in line


@pytest.mark.parametrize("act", ["error", "exit", "own"])
@pytest.mark.parametrize("name", FEW)
def test_so_is_one_that_raises_anything_else(told, act, name):
    code, line = told(act, name, *EVAL, "--limit-build", "30")
    assert code == (0 if "close" in name else 2)
    assert code == 0 or f"{name} raised" in line


@pytest.mark.parametrize("name", [name for name in FEW if "close" not in name])
def test_one_that_never_comes_back_is_late(told, name):
    assert "did not come back within 1 s" in told("hang", name, *EVAL, "--limit-build", "1")[1]


@pytest.mark.parametrize("name", FEW)
def test_in_processes_it_is_one_line_too(told, name):
    code, line = told("interrupt", name, *EVAL, "--limit-build", "60", *IN_PROCESSES)
    assert code == (0 if "close" in name else 2)
    assert code == 0 or "KeyboardInterrupt" in line


@pytest.mark.parametrize("name", [*FEW, *(name for name in PROPERTIES if "doc" in name or "dict" in name)])
def test_info_shows_what_can_be_read_or_says_one_line(told, name):
    assert told("interrupt", name, "info")[0] in (0, 2)


@pytest.mark.parametrize("name", ["Hook__getattr___Plain", "Property_class_Calling", "Meta_Stepping"])
def test_test_reports_it_as_an_error_of_the_environment(told, name, tmp_path):
    code, _ = told("interrupt", name, "test", "--select", "C101", "--html", "report.html")
    assert code == 1
    assert "KeyboardInterrupt" in (tmp_path / "report.html").read_text()
