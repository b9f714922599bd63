"""Pages of `view` and `test --html` full of hostile text, in a real Chromium: nothing runs, and no request leaves."""

import asyncio
import json
import shutil
import threading

import pytest

from grpo_env_sdk.checking.check import selected
from grpo_env_sdk.checking.evidence.playing.settings import Settings
from grpo_env_sdk.checking.reports.html import html_page
from grpo_env_sdk.checking.runner.runner import CheckPlan, run_checks
from grpo_env_sdk.isolation.calls.deadline import call_in_thread
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.types import EnvSpec
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.page import render
from grpo_env_sdk.viewing.server import start_server
from tests.viewing.viewed_runs import Clumsy, refunds

pytestmark = pytest.mark.browser

ELSEWHERE = "http://127.0.0.1:9/leak"
NASTY = (
    f"</script></title></style></textarea>--><script>window.pwned=1;fetch('{ELSEWHERE}')</script>"
    f"<img src={ELSEWHERE} onerror=window.pwned=1><svg/onload=window.pwned=1><iframe src={ELSEWHERE}></iframe>"
    f"<link rel=stylesheet href={ELSEWHERE}><style>@import '{ELSEWHERE}';*{{background:url({ELSEWHERE})}}</style>"
    f"<base href={ELSEWHERE}><meta http-equiv=refresh content='0;url={ELSEWHERE}'>"
    f'" onmouseover=window.pwned=1 autofocus onfocus=window.pwned=1 x="![x]({ELSEWHERE}) [x](javascript:window.pwned=1)'
)
KEPT = {"role", "stop_reason", "type", "format", "kind", "whose", "stage", "finish_reason", "split", "signature"}
"""What a run is refused for, where it has other words than the SDK writes."""


def spoilt(value, key=""):
    """The same JSON with markup in every text and in every name that an author chooses."""
    if isinstance(value, str):
        return value if key in KEPT else value + NASTY
    if isinstance(value, list):
        return [spoilt(item, key) for item in value]
    if isinstance(value, dict):
        free = key in ("row", "rewards", "metrics", "arguments", "packages", "env_config", "errors", "columns")
        return {name + NASTY * free: spoilt(item, name) for name, item in value.items()}
    return value


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """A run of which somebody has changed every text: of the manifest, the summary and each record."""
    folder = refunds(tmp_path_factory.mktemp("runs") / "run", Clumsy())
    for name in ("manifest.json", "summary.json"):
        (folder / name).write_text(json.dumps(spoilt(json.loads((folder / name).read_text()))))
    records = folder / "episodes.jsonl"
    records.write_text(
        "".join(json.dumps(spoilt(json.loads(line))) + "\n" for line in records.read_text().split("\n") if line)
    )
    return RunIndex(open_run(folder))


@pytest.fixture(scope="module")
def chromium():
    path = shutil.which("chromium")
    if path is None:
        pytest.skip("There is no chromium: `apt-get install chromium` brings it.")
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium):
    """Opens an address, reads all there is to read, and returns what was asked for and whether a script ran."""
    context = chromium.new_context()
    context.set_default_timeout(20_000)
    page, asked = context.new_page(), []
    page.on("request", lambda request: asked.append(request.url))

    def visited(address):
        page.goto(address)
        shown = page.inner_text("body")
        for place in range(min(page.locator("tbody tr td:first-child").count(), 8)):
            page.locator("tbody tr").nth(place).click()
            page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
            shown += page.inner_text("body")
        for element in page.locator("main :is(summary, h1, td, pre)").all()[:40]:
            element.dispatch_event("mouseover")
        page.wait_for_timeout(200)
        return shown, [url for url in asked if "favicon" not in url], page.evaluate("window.pwned ?? null")

    yield visited
    context.close()


def test_a_page_that_did_run_what_it_shows_would_be_noticed(visit, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(f"<body><main>{NASTY.replace('<meta', '<x')}")
    _, asked, pwned = visit(page.as_uri())
    assert pwned == 1
    assert ELSEWHERE in asked


def test_a_run_full_of_markup_is_text_in_an_exported_page(visit, run, tmp_path):
    page = tmp_path / "page.html"
    page.write_text(render([run], whole=True)[0], encoding="utf-8")
    shown, asked, pwned = visit(page.as_uri())
    assert (asked, pwned) == ([page.as_uri()], None)
    assert shown.count("window.pwned=1;fetch(") > 10


def test_a_run_full_of_markup_is_text_in_the_page_of_a_server(visit, run):
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    try:
        runner, address = asyncio.run_coroutine_threadsafe(start_server([run]), loop).result(60)
        shown, asked, pwned = visit(address)
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(60)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()
    assert pwned is None
    assert len(asked) > 1
    assert all(url.startswith(address) for url in asked)
    assert shown.count("window.pwned=1;fetch(") > 10


class Hostile:
    __doc__ = NASTY

    def build_dataset(self, tokenizer):
        return [{"prompt": f"Say {n}. {NASTY}", "answer": f"{NASTY} {n}", NASTY: n} for n in range(40)]

    def score_episode(self, model, tokenizer, completion, answer, **columns):
        if completion.startswith("a"):
            raise RuntimeError(NASTY)
        return 1.0 if completion else 0.0

    def solve(self, row):
        return row["answer"]


def test_the_report_of_a_hostile_environment_is_text(visit, tmp_path):
    plan = CheckPlan(selected(["C1", "G503", "G505", "F601"], (), "quick"), Settings("quick"))
    spec = EnvSpec(f"hostile{NASTY}", f"{__name__}:Hostile")
    report = call_in_thread(None, "the report", run_checks, spec, plan, create=Hostile)
    page = tmp_path / "page.html"
    page.write_text(html_page([report]), encoding="utf-8")
    shown, asked, pwned = visit(page.as_uri())
    assert (asked, pwned) == ([page.as_uri()], None)
    assert shown.count("window.pwned=1;fetch(") > 3
