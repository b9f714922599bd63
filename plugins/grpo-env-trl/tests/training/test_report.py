"""The report of a training is one file that loads nothing, and shows what it was given as text."""

import re
import shutil

import pytest
from lessons import Markup
from quick import quick_run

from grpo_env_trl.report.curves import curves
from grpo_env_trl.report.row_pairs import pairs


@pytest.fixture(scope="module")
def page(models, tmp_path_factory):
    """The report of a training on rows with markup in them."""
    return quick_run(Markup, models(), tmp_path_factory.mktemp("reported") / "run").report


def test_the_page_loads_nothing_and_may_load_nothing(page):
    text = page.read_text()
    assert not re.search(r"""(?:src|href)\s*=|url\(|@import|https?://(?!www\.w3\.org/)""", text)
    assert re.search(r"""http-equiv="?Content-Security-Policy"? content="default-src 'none'""", text)


def test_what_the_rows_say_is_shown_as_text(page):
    text = page.read_text()
    assert "<script>document" not in text
    assert "&lt;script&gt;document.title=" in text


def test_the_page_shows_scores_curves_rows_and_config(page):
    text = page.read_text()
    for title in ("Held-out reward", "<h2>Reward</h2>", "Spread of the rewards", "The same rows, before and after"):
        assert title in text
    assert re.search(r"<td>learning_rate</td>\s*<td[^>]*>0\.001</td>", text)


@pytest.mark.browser
def test_the_page_opens_in_a_browser_and_nothing_complains(page):
    from playwright.sync_api import sync_playwright

    complaints, asked = [], []
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        opened = browser.new_page()
        opened.on("console", lambda message: complaints.append(message.text))
        opened.on("pageerror", lambda error: complaints.append(str(error)))
        opened.on("request", lambda request: asked.append(request.url))
        opened.goto(page.as_uri())
        opened.get_by_text(re.compile("^row .* before")).first.click()
        assert opened.get_by_text("<script>document.title").first.is_visible()
        assert opened.title() != "hit"
        assert opened.evaluate("document.documentElement.scrollWidth <= innerWidth")
        browser.close()
    assert complaints == []
    assert asked == [page.as_uri()]


def test_every_number_that_was_logged_is_on_some_curve():
    history = [
        {"step": step, "reward": step / 3, "rewards/score/mean": 1.0, "rewards/a/mean": 0.5, "rewards/a/std": 0.1}
        | {f"env/m{number}": 1.0 for number in range(8)} | {"weight/m1": 0.3, "grad_norm": 0.1, "clip_ratio/low": 0.0}
        for step in range(1, 4)
    ]  # fmt: skip
    telling, others = curves(history)
    assert [plot.title for plot in telling] == [
        "Reward", "Parts of the reward", "The environment's own metrics", "The environment's own metrics (more)",
        "Weights of the environments",
    ]  # fmt: skip
    assert [plot.title for plot in others] == ["clip_ratio", "grad_norm"]
    drawn = {name for plot in [*telling, *others] for name in plot.lines}
    assert drawn == {"reward", "a", *(f"m{number}" for number in range(8)), "low", "grad_norm"}
    assert telling[0].lines["reward"] == [(1.0, 1 / 3), (2.0, 2 / 3), (3.0, 1.0)]


def test_a_step_without_a_number_leaves_a_gap():
    (plot,), _ = curves([{"step": 1, "reward": 0.5}, {"step": 2}, {"step": 3, "reward": 0.25}])
    assert plot.lines["reward"] == [(1.0, 0.5), (3.0, 0.25)]


def test_rows_are_paired_with_themselves_the_greatest_gain_first_and_the_worst_loss_last(finished):
    found = pairs(finished.run, 6)
    assert [before.row_index == after.row_index for before, after in found] == [True] * 2
    rises = [(after.reward or 0) - (before.reward or 0) for before, after in found]
    assert rises == sorted(rises, reverse=True)
    assert pairs(finished.run, 1) == found[:0] + found[-1:]


def test_a_run_that_was_not_measured_has_no_pairs(tmp_path):
    assert pairs(tmp_path, 6) == []
