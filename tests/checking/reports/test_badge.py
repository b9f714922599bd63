"""The badge: one verdict, the worst one, as an SVG that is the same each time."""

import xml.etree.ElementTree as ElementTree

import pytest

from grpo_env_sdk.checking.findings.finding import Finding, Undecided
from grpo_env_sdk.checking.findings.report import Report
from grpo_env_sdk.checking.reports.badge import badge_svg

ERROR = Finding("Wrong.", severity="error", check="S201")
SOUND = Report("sums-v1")
GAP = Report("sums-v1", undecided=[Undecided("No solve.", "", ("G501", "G502"))])
UNPROVEN = Report("sums-v1", unproven=("Too few rows.",))
WRONG = Report("<sums>", [ERROR, ERROR])


def words(svg):
    root = ElementTree.fromstring(svg)
    return [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]


@pytest.mark.parametrize(
    ("reports", "broken", "shown"),
    [
        ([SOUND], 0, ["sums-v1", "sound"]),
        ([GAP], 0, ["sums-v1", "sound, 2 checks undecided"]),
        ([UNPROVEN], 0, ["sums-v1", "unproven"]),
        ([WRONG], 0, ["<sums>", "2 errors"]),
        ([Report("sums-v1", [ERROR], blocked=True)], 0, ["sums-v1", "untestable"]),
        ([SOUND, UNPROVEN], 0, ["2 environments", "1 unproven"]),
        ([SOUND, UNPROVEN, WRONG], 0, ["3 environments", "2 errors"]),
        ([SOUND, WRONG], 1, ["3 environments", "1 untestable"]),
    ],
)
def test_a_badge_has_the_worst_verdict(reports, broken, shown):
    svg = badge_svg(reports, broken)
    assert words(svg) == shown
    assert svg == badge_svg(reports, broken)


def test_each_verdict_has_a_colour_of_its_own_and_nothing_is_loaded():
    svgs = [badge_svg([one]) for one in (SOUND, UNPROVEN, WRONG)]
    assert len({svg.split('fill="#')[2][:6] for svg in svgs}) == 3
    assert all(svg.count("http") == 1 for svg in svgs)
