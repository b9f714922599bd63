"""`grpo-env test` in pytest: `pytest --grpo-env hotel-v1`, or a class in your tests; one test per check."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

import pytest

if TYPE_CHECKING:
    from grpo_env_sdk.checking.evidence.playing.settings import Effort
    from grpo_env_sdk.checking.findings.report import Report
    from grpo_env_sdk.errors import GrpoEnvError


VERDICT = "verdict"
"""The test that all checks together proved something; it fails where the verdict is `unproven`."""


class EnvironmentContract:
    """A test class that checks one environment, one test per check.

    class TestHotel(EnvironmentContract):
        env = "hotel-v1"
    """

    env: ClassVar[str]
    config: ClassVar[Mapping[str, Any]] = {}
    effort: ClassVar["Effort"] = "default"
    select: ClassVar[str | Sequence[str]] = ()
    ignore: ClassVar[str | Sequence[str]] = ()
    strict: ClassVar[bool] = False
    """Whether warnings also fail."""
    allow_unproven: ClassVar[bool] = False
    """Whether an environment on which too little could be tried passes."""

    def pytest_generate_tests(self, metafunc: pytest.Metafunc) -> None:
        """One test for each check."""
        if "check_id" in metafunc.fixturenames:
            metafunc.parametrize("check_id", _ids(self.select, self.ignore, self.effort))

    def test_environment(self, check_id: str) -> None:
        """The check has no findings."""
        from grpo_env_sdk.checking.runner.check_env import names_in
        from grpo_env_sdk.types import canonical_json

        config = canonical_json(dict(self.config))
        report = _report(self.env, config, self.effort, tuple(names_in(self.select)), tuple(names_in(self.ignore)))
        _judge(report, check_id, self.strict, self.allow_unproven)


def pytest_addoption(parser: pytest.Parser) -> None:
    """`--grpo-env`, for environments without a test file."""
    group = parser.getgroup("grpo-env")
    group.addoption(
        "--grpo-env", action="append", default=[], metavar="ENV", help="check an environment, one test per check"
    )


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the checks of each environment that `--grpo-env` names; a name that nothing has is an invalid argument."""
    for env in session.config.getoption("--grpo-env"):
        _check_name(env)
        items += _Environment.from_parent(session, name=env, nodeid=f"grpo-env::{env}", path=session.path).collect()


class _Environment(pytest.Collector):
    """Collects the checks of an environment as tests."""

    def collect(self) -> Iterator[pytest.Item]:
        return (_CheckItem.from_parent(self, name=id) for id in _ids((), (), "default"))


class _CheckItem(pytest.Item):
    """One check as a test."""

    def runtest(self) -> None:
        assert self.parent is not None
        _judge(_report(self.parent.name, "{}", "default", (), ()), self.name, strict=False)

    def reportinfo(self) -> tuple[Path, None, str]:
        assert self.parent is not None
        return self.path, None, f"{self.parent.name} {self.name}"


def _check_name(env: str) -> None:
    from grpo_env_sdk.errors import GrpoEnvError
    from grpo_env_sdk.registry.lookup import spec

    try:
        spec(env)
    except GrpoEnvError as exc:
        raise pytest.UsageError(f"--grpo-env {env}: {exc}") from exc


def _ids(select: Any, ignore: Any, effort: Any) -> list[str]:
    from grpo_env_sdk.checking.runner.check_env import check_plan
    from grpo_env_sdk.checking.runner.sequence import FIRST

    plan = check_plan(effort, select, ignore)
    verdict = [VERDICT] if plan.unfiltered else []
    return list(dict.fromkeys([*FIRST, *(check.id for check in plan.checks), *verdict]))


def _report(env: str, config: str, effort: Any, select: tuple[str, ...], ignore: tuple[str, ...]) -> "Report":
    """The report on an environment; where there is none the first test fails, and the others are skipped."""
    found = _outcome(env, config, effort, select, ignore)
    if isinstance(found.result, Exception):
        told, found.told = found.told, True
        (pytest.skip if told else partial(pytest.fail, pytrace=False))(str(found.result))
    return found.result


@dataclass
class _Outcome:
    """The report on an environment, or why it cannot be checked at all, and whether a test has failed with that."""

    result: "Report | GrpoEnvError"
    told: bool = False


@lru_cache(maxsize=16)
def _outcome(env: str, config: str, effort: Any, select: tuple[str, ...], ignore: tuple[str, ...]) -> _Outcome:
    """What came of the checks, which run once for all tests."""
    import json

    from grpo_env_sdk.checking.runner.check_env import check_env
    from grpo_env_sdk.errors import GrpoEnvError

    try:
        return _Outcome(check_env(env, config=json.loads(config), effort=effort, select=select, ignore=ignore))
    except GrpoEnvError as exc:
        return _Outcome(exc)


def _judge(report: "Report", id: str, strict: bool, allow_unproven: bool = False) -> None:
    """Fail with the findings of a check, skip if it was not decided."""
    from grpo_env_sdk.checking.findings.folding import advice
    from grpo_env_sdk.checking.reports.terminal import command_for, finding_lines, gap_text

    if id == VERDICT and report.verdict == "unproven":
        (pytest.skip if allow_unproven else partial(pytest.fail, pytrace=False))(" ".join(report.unproven))
    if id == VERDICT and report.ok and report.count("warning"):
        warned = (f"{one.check}: {one.message}" for one in report.causes if one.severity == "warning")
        pytest.skip(f"{report.verdict_text}. {' '.join(warned)}")
    bad = ("error", "warning") if strict else ("error",)
    found = [finding for finding in report.findings if finding.check == id and finding.severity in bad]
    if found and found[0].follows:
        pytest.skip(f"{advice(found[0])}. {found[0].message}")
    if found:
        lines = [line for finding in found for line in finding_lines(finding)]
        pytest.fail("\n".join([*lines, f"    again     {command_for(report.name)} --select {id}"]), pytrace=False)
    gap = next((gap for gap in report.undecided if id in gap.checks), None)
    if gap is not None:
        pytest.skip(gap_text(gap, command_for(report.name)))
