"""The badge: one verdict, the worst one, as an SVG that is the same each time."""

import xml.etree.ElementTree as ElementTree

import pytest

from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.findings.outcomes import Untestable
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.badge import badge_svg
from grpo_env_sdk.errors import BrokenPackageError
from grpo_env_sdk.types import EnvSpec

ERROR = Finding("Wrong.", severity="error", check="S201")
SOUND = Report("sums-v1")
GAP = Report("sums-v1", undecided=[Undecided("No solve.", "", ("G501", "G502"))])
UNPROVEN = Report("sums-v1", unproven=("Too few rows.",))
NONE = Untestable(EnvSpec("gone-v1", "gone:Gone"), "gone-v1", BrokenPackageError("No module named 'gone'."))
WRONG = Report("<sums>", [ERROR, ERROR])


def words(svg):
    root = ElementTree.fromstring(svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("outcomes", "shown"),
    [
        ([SOUND], ["sums-v1", "sound"]),
        ([GAP], ["sums-v1", "sound, 2 checks undecided"]),
        ([UNPROVEN], ["sums-v1", "unproven"]),
        ([WRONG], ["<sums>", "2 errors"]),
        ([Report("sums-v1", [ERROR], blocked=True)], ["sums-v1", "untestable"]),
        ([NONE], ["gone-v1", "untestable"]),
        ([SOUND, UNPROVEN], ["2 environments", "1 unproven"]),
        ([SOUND, UNPROVEN, WRONG], ["3 environments", "2 errors"]),
        ([SOUND, WRONG, NONE], ["3 environments", "1 untestable"]),
    ],
)
def test_a_badge_has_the_worst_verdict(outcomes, shown):
    svg = badge_svg(outcomes)
    assert words(svg) == shown
    assert svg == badge_svg(outcomes)


def test_a_badge_of_some_says_how_many_were_tested_and_no_verdict():
    svg = badge_svg([SOUND, WRONG], ["cubes-v1"])
    assert words(svg) == ["3 environments", "2 of 3 tested"]
    assert "#616161" in svg


def test_each_verdict_has_a_colour_of_its_own_and_nothing_is_loaded():
    svgs = [badge_svg([one]) for one in (SOUND, UNPROVEN, WRONG)]
    assert len({svg.split('fill="#')[2][:6] for svg in svgs}) == 3
    assert all(svg.count("http") == 1 for svg in svgs)
