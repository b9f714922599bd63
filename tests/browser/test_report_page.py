"""The report of `grpo-env test --html` as somebody reads it in a browser."""

import re

import pytest
from playwright.sync_api import expect

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.reports.html import html_page
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.isolation.calls.deadline import call_in_thread
from grpo_env_sdk.types import EnvSpec

pytestmark = pytest.mark.browser

NASTY = "<script>window.pwned=1</script><img src=x onerror=window.pwned=1>"
SCHEMES = pytest.mark.parametrize("reader", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)


class Nasty:
    """Pays for any answer, and its answers are markup."""

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}.", "answer": f"{NASTY} {n} {'unbroken' * 40}"} for n in range(40)]

    def score_episode(self, model, tokenizer, completion, answer):
        return 1.0 if completion else 0.0

    def solve(self, row):
        return row["answer"]


class WithoutSolution(Nasty):
    solve = None


@pytest.fixture(scope="module")
def page_of(tmp_path_factory):
    """Gives the file:// address of the report of some classes; each report is made once."""
    made = {}

    def page(*classes):
        if classes not in made:
            made[classes] = tmp_path_factory.mktemp("reports") / "report.html"
            made[classes].write_text(html_page([report_of(cls) for cls in classes]), encoding="utf-8")
        return made[classes].as_uri()

    return page


def report_of(cls):
    """The report of a class, made in a thread: the browser has a loop in this one."""
    plan = CheckPlan(selected(["G503", "G505", "F601"], (), "quick"), Settings("quick"))
    spec = EnvSpec(cls.__name__, f"{__name__}:{cls.__name__}")
    return call_in_thread(None, "the report", run_checks, spec, plan, create=cls)


def test_the_verdict_and_the_first_finding_are_what_is_read_first(reader, page_of):
    page = reader.open(page_of(Nasty)).page
    expect(page).to_have_title("grpo-env test: Nasty")
    expect(page.locator("h1")).to_have_text("Nasty findings")
    first = page.locator("article").first
    expect(first.locator("h3")).to_have_text(re.compile("^error G503 .* as much as gold, on "))
    expect(first).to_be_in_viewport()
    expect(first.locator(".fix")).to_be_visible()
    expect(first.get_by_text("grpo-env test Nasty --select G503")).to_be_visible()


def test_tables_and_plots_are_there_to_be_read(reader, page_of):
    page = reader.open(page_of(Nasty)).page
    expect(page.get_by_role("heading", name="Rewards of the best fixed answers")).to_be_visible()
    plot = page.get_by_role("img", name="Groups without learning signal")
    expect(plot.locator("polyline")).to_have_count(3)
    expect(plot.get_by_text("groups of 16")).to_be_visible()
    assert plot.bounding_box()["height"] > 100


def test_markup_in_answers_is_text_and_the_page_asks_the_network_for_nothing(reader, page_of):
    page = reader.open(page_of(Nasty)).page
    assert NASTY in page.inner_text("main")
    assert page.locator("main :is(script, img, iframe, a)").count() == 0
    assert len(reader.requests) == 1


def test_several_reports_stand_one_below_another(reader, page_of):
    page = reader.open(page_of(Nasty, WithoutSolution)).page
    assert page.locator("h1").count() == 2
    boxes = [section.bounding_box() for section in page.locator("section").all()]
    assert boxes[0]["y"] + boxes[0]["height"] <= boxes[1]["y"]


@pytest.mark.parametrize("reader", [{"viewport": {"width": 400, "height": 800}}], indirect=True)
def test_nothing_is_wider_than_a_telephone(reader, page_of):
    page = reader.open(page_of(Nasty)).page
    assert page.evaluate("document.documentElement.scrollWidth") <= 400


@SCHEMES
def test_every_text_stands_out_from_its_background(reader, page_of):
    reader.open(page_of(Nasty))
    spans = ("article.error h3 span", "article.warning h3 span")
    for selector in ("body", ".facts", ".title", ".note", "dt", "th", "svg text", *spans):
        assert reader.contrast(selector) >= 4.5, selector
    assert reader.contrast(".verdict", behind=".verdict") >= 4.5
