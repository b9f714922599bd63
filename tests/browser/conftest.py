"""A real Chromium, real servers on loopback, and pages that must never complain."""

import asyncio
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from grpo_env_sdk import evaluate
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.viewing.index import RunIndex
from grpo_env_sdk.viewing.page import render
from grpo_env_sdk.viewing.server import start_server
from tests.images.pictures import Colours
from tests.viewing.test_growing_runs import served
from tests.viewing.viewed_runs import Clumsy, many, refunds
from tests.views_envs import Doors


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, RunIndex]:
    """Real evaluations of the refunds environment, and one run of 10,000 episodes."""
    folder = tmp_path_factory.mktemp("runs")
    paths = [refunds(folder / "clumsy", Clumsy()), refunds(folder / "gold"), many(folder / "many")]
    evaluate(Colours, "gold", split="all", out=folder / "colours")
    evaluate(Doors, "gold", split="all", out=folder / "doors")
    paths += [folder / "colours", folder / "doors"]
    return {path.name: RunIndex(open_run(path)) for path in paths}


@pytest.fixture(scope="module")  # its event loop must not outlive the tests that need it
def browser(runs: dict[str, RunIndex]) -> Iterator[Browser]:
    """Debian's Chromium."""
    path = shutil.which("chromium")
    if path is None:
        pytest.fail("There is no chromium. `apt-get install chromium` brings it.")
    with sync_playwright() as playwright:
        launched = playwright.chromium.launch(executable_path=path, args=["--no-sandbox", "--disable-gpu"])
        yield launched
        launched.close()


@pytest.fixture(scope="session")
def serve(runs: dict[str, RunIndex]) -> Iterator[Callable[..., str]]:
    """Gives the address at which runs are served."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    runners: dict[tuple[str, ...], tuple[Any, str]] = {}

    def served(*names: str) -> str:
        if names not in runners:
            starting = start_server([runs[name] for name in names])
            runners[names] = asyncio.run_coroutine_threadsafe(starting, loop).result(60)
        return runners[names][1]

    yield served
    for runner, _ in runners.values():
        asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


@pytest.fixture
def serve_folder() -> Iterator[Callable[[Path], str]]:
    """Gives the address at which a run is served that may change."""
    with ExitStack() as servers:
        yield lambda path: servers.enter_context(served(path)).place.geturl()


@pytest.fixture
def export(runs: dict[str, RunIndex], tmp_path: Path) -> Callable[..., str]:
    """Gives the file:// address of an exported page."""

    def exported(*names: str) -> str:
        file = tmp_path / "page.html"
        file.write_text(render([runs[name] for name in names], whole=True)[0], encoding="utf-8")
        return file.as_uri()

    return exported


class Reader:
    """Somebody who reads a page: what they see, and everything that the browser asked for or complained of."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.complaints: list[str] = []
        self.requests: list[str] = []
        page.on("console", lambda message: self.complaints.append(message.text))
        page.on("pageerror", lambda error: self.complaints.append(str(error)))
        page.on("request", lambda request: self.requests.append(request.url))

    def open(self, address: str) -> "Reader":
        """Open the page and wait for its table."""
        self.page.goto(address)
        self.page.wait_for_selector("tbody tr")
        return self

    def press(self, *keys: str) -> None:
        """Press keys one after another."""
        for key in keys:
            self.page.keyboard.press(key)

    def choose(self, row: int, sample: int) -> None:
        """Click on an episode of the table, and wait for it."""
        self.page.get_by_role("cell", name=f"{row} / {sample}", exact=True).click()
        self.page.get_by_role("heading", name=f"row {row}, sample {sample}", exact=True).wait_for()

    @property
    def count(self) -> str:
        """What the page says of how many episodes are shown."""
        return self.page.inner_text("#count")

    def column(self, name: str) -> list[str]:
        """The cells of a column on this page of the table."""
        names = self.page.locator("thead th").all_inner_texts()
        return self.page.locator(f"tbody td:nth-child({names.index(name) + 1})").all_inner_texts()

    def brightness(self, selector: str, what: str) -> float:
        """How bright a colour of the first such element is, from 0 to 1, as contrast is reckoned with."""
        colour = self.page.evaluate(f"getComputedStyle(document.querySelector('{selector}')).{what}")
        parts = [int(part) / 255 for part in re.findall(r"\d+", colour)[:3]]
        linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    def contrast(self, selector: str, behind: str = "body") -> float:
        """How far a text stands out from what is behind it: 4.5 is enough to read it."""
        text, back = self.brightness(selector, "color"), self.brightness(behind, "backgroundColor")
        return (max(text, back) + 0.05) / (min(text, back) + 0.05)


@pytest.fixture
def reader(browser: Browser, request: pytest.FixtureRequest) -> Iterator[Reader]:
    """A reader with a window of their own; a page that complained, or ran what it showed, fails the test.

    Parametrized indirectly, it takes what a browser context takes: `viewport`, `color_scheme`.
    """
    context = browser.new_context(**{"viewport": {"width": 1280, "height": 800}, **getattr(request, "param", {})})
    context.set_default_timeout(20_000)
    made = Reader(context.new_page())
    yield made
    pwned = made.page.evaluate("window.pwned ?? null")
    context.close()
    assert pwned is None
    assert made.complaints == []
