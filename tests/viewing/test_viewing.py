import asyncio
import base64
import hashlib
import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlsplit

import pytest

from grpo_env_sdk.cli import main
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.runs.reading import open_run
from grpo_env_sdk.runs.writing import create_run
from grpo_env_sdk.types import Episode
from grpo_env_sdk.viewing.index import Histogram, RunIndex
from grpo_env_sdk.viewing.page import pieces, render
from grpo_env_sdk.viewing.server import start_server
from tests.full_disk import no_file_above
from tests.viewing.viewed_runs import NASTY, Clumsy, refunds, write_run


@pytest.fixture(scope="module")
def clumsy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return refunds(tmp_path_factory.mktemp("runs") / "clumsy", Clumsy())


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return refunds(tmp_path_factory.mktemp("runs") / "gold")


def index_of(path: Path) -> RunIndex:
    return RunIndex(open_run(path))


def made(row: int = 0, **fields: Any) -> Episode:
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "done"}]
    given = {"messages": said, "opening": 1, "stop_reason": "terminated", "reward": 0.5, "turns": 1} | fields
    return Episode(env="toy-v1", row_index=row, row={"prompt": "Go."}, seed=0, **given)


def row_of(index: RunIndex, row: int, sample: int) -> dict[str, Any]:
    return next(each for each in index.table if (each["row"], each["sample"]) == (row, sample))


def data_in(page: str) -> dict[str, Any]:
    """What the page's script reads, as strictly as a browser does."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    text = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.DOTALL)
    assert text
    found: dict[str, Any] = json.loads(text[1], parse_constant=refuse)
    return found


# --- the index ---


def test_a_row_of_the_table_says_what_was_asked_and_what_came_of_it(clumsy):
    row = row_of(index_of(clumsy), 1, 1)
    assert (row["asked"], row["said"]) == ("Refund order 1001.", "There is no such order.")
    assert (row["reward"], row["bin"], row["stop"], row["turns"]) == (0.0, 0, "terminated", 2)
    assert (row["calls"], row["failed_calls"], row["cause"]) == (1, 1, None)


def test_a_failed_episode_says_whose_fault_it_was_and_the_error(clumsy):
    row = row_of(index_of(clumsy), 1, 3)
    assert row["cause"] == "environment score: RuntimeError"
    assert row["said"].startswith("RuntimeError: the scorer cannot read crash")
    assert (row["reward"], row["bin"], len(row["said"])) == (None, None, 120)


def test_where_the_last_message_has_no_text_the_table_shows_its_calls(tmp_path):
    call = {"id": "1", "type": "function", "function": {"name": "find_order", "arguments": {"order": 7}}}
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": "", "tool_calls": [call]}]
    index = index_of(write_run(tmp_path / "run", made(messages=said)))
    assert index.table[0]["said"] == '→ find_order({"order": 7})'


def test_a_record_is_read_again_as_it_was_written(clumsy):
    index = index_of(clumsy)
    written = list(open_run(clumsy).episodes())
    assert [Episode.from_json(index.record(i)) for i in range(len(written))] == written


def test_a_torn_last_line_is_left_aside(tmp_path):
    run = write_run(tmp_path / "run", made(0), made(1))
    with (run / "episodes.jsonl").open("ab") as file:
        file.write(b'{"env": "toy-v1", "row_')
    assert len(index_of(run).table) == 2


@pytest.mark.parametrize("text", ["pHONE", "said it", "the result", "argument", "from the row", "Broke", "why", "1234"])
def test_a_search_finds_text_in_messages_calls_rows_and_errors_in_any_case(tmp_path, text):
    call = {"id": "1", "type": "function", "function": {"name": "phone", "arguments": {"x": "ARGUMENT"}}}
    said = [
        {"role": "user", "content": "Go."},
        {"role": "assistant", "content": "I said it.", "reasoning_content": "why", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "1", "content": "the result 1234"},
    ]
    error = {"whose": "environment", "stage": "score", "type": "BrokeError", "message": "no", "traceback": ""}
    episode = Episode.from_json(made(1, messages=said).as_json() | {"row": {"x": "from the row"}, "error": error})
    assert index_of(write_run(tmp_path / "run", made(0), episode, made(2))).search(text) == [1]


@pytest.mark.parametrize("text", ["assistant", "role", "function", "tool_call_id", "reward", "null", "call_0"])
def test_a_search_passes_over_what_every_record_has(gold, text):
    assert index_of(gold).search(text) == []


def test_a_search_finds_quotes_backslashes_and_line_breaks_as_they_were_written(tmp_path):
    said = [{"role": "assistant", "content": 'a "quoted"\nback\\slash \u2028 ÄÖ'}]
    index = index_of(write_run(tmp_path / "run", made(messages=said, opening=0)))
    for text in ('"quoted"\nback', "back\\slash", "\u2028 äö"):
        assert index.search(text) == [0]


def test_a_histogram_counts_every_reward_from_the_lowest_possible_to_the_highest():
    spread = Histogram.over([0.0, 0.01, 0.5, 1.0, 1.0], (0.0, 1.0))
    assert (spread.low, spread.high, sum(spread.counts)) == (0.0, 1.0, 5)
    assert (spread.counts[0], spread.counts[10], spread.counts[-1]) == (2, 1, 2)


@pytest.mark.parametrize(
    ("rewards", "ends", "low", "high"),
    [
        ([-2.0, 0.5], (0.0, 1.0), -2.0, 1.0),
        ([3.0, 7.0], (float("-inf"), float("inf")), 3.0, 7.0),
        ([5.0], (float("-inf"), float("inf")), 5.0, 5.0),
        ([], (float("-inf"), float("inf")), 0.0, 0.0),
    ],
)
def test_a_histogram_reaches_as_far_as_the_rewards_and_the_finite_ends(rewards, ends, low, high):
    spread = Histogram.over(rewards, ends)
    assert (spread.low, spread.high, sum(spread.counts)) == (low, high, len(rewards))


# --- the page ---


def test_nothing_that_a_transcript_contains_ends_the_script_element_it_stands_in(clumsy):
    page, _ = render([index_of(clumsy)], whole=True)
    assert page.count("</script>") == 2
    assert page.count("<script") == 2
    assert "\u2028" not in page
    assert "\ud800" not in page
    index = index_of(clumsy)
    records = data_in(page)["records"][0]
    assert records == [index.record(i) for i in range(44)]
    assert NASTY in records[row_of(index, 2, 0)["i"]]["error"]["message"]


def test_the_policy_allows_the_page_its_own_script_and_nothing_else(clumsy):
    page, policy = render([index_of(clumsy)], whole=False)
    style = re.search(r"<style>(.*?)</style>", page, re.DOTALL)
    script = re.search(r"<script>(.*?)</script>", page, re.DOTALL)
    assert style
    assert script
    for kind, found in (("style", style[1]), ("script", script[1])):
        digest = base64.b64encode(hashlib.sha256(found.encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert f'content="{policy}"' in page
    assert "unsafe" not in policy


def test_the_served_page_has_the_table_and_fetches_the_records(clumsy):
    page, policy = render([index_of(clumsy)], whole=False)
    assert data_in(page)["records"] is None
    assert len(data_in(page)["runs"][0]["table"]) == 44
    assert "connect-src 'self'" in policy


def test_the_exported_page_has_every_record_and_may_fetch_nothing(clumsy):
    page, policy = render([index_of(clumsy)], whole=True)
    assert len(data_in(page)["records"][0]) == 44
    assert "connect-src 'none'" in policy


def test_values_that_json_does_not_have_reach_the_page_as_text(tmp_path):
    old_range = [float("-inf"), float("inf")]
    manifest = {"env": "toy-v1", "policy": "p", "reward_range": old_range, "rows": 1, "samples": 1}
    with create_run(tmp_path / "run", manifest) as writer:
        writer.append(made(metrics={"ratio": float("nan"), "most": float("inf")}))
    page, _ = render([index_of(tmp_path / "run")], whole=True)
    data = data_in(page)
    assert data["records"][0][0]["metrics"] == {"ratio": "NaN", "most": "Infinity"}
    assert data["runs"][0]["manifest"]["reward_range"] == ["-Infinity", "Infinity"]


def test_two_runs_are_compared_as_diff_compares_them(clumsy, gold):
    page, _ = render([index_of(gold), index_of(clumsy)], whole=False)
    compared = data_in(page)["comparison"]
    assert re.match(r"0\.39. \[.*\] before, 1\.000 \[.*\] after, difference 0\.6.* 11 rose, 0 fell", compared["text"])
    assert compared["settings"] == ['policy was "clumsy" and is "gold"']


def test_runs_of_two_environments_are_not_compared(gold, tmp_path):
    with pytest.raises(UsageError, match="their environments differ"):
        render([index_of(gold), index_of(write_run(tmp_path / "toy", made()))], whole=False)


# --- the server ---


class Served:
    """A real server on loopback, asked with any path and headers."""

    def __init__(self, address: str) -> None:
        self.place = urlsplit(address)

    def get(self, path: str, **headers: str) -> tuple[int, dict[str, str], bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.place.port or 0, timeout=30)
        try:
            connection.request("GET", path, headers={name.replace("_", "-"): value for name, value in headers.items()})
            answer = connection.getresponse()
            return answer.status, dict(answer.headers), answer.read()
        finally:
            connection.close()

    def page(self, path: str = "", **headers: str) -> tuple[int, dict[str, str], bytes]:
        return self.get(self.place.path + path, **headers)


@pytest.fixture(scope="module")
def served(clumsy: Path, gold: Path) -> Iterator[Served]:
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    starting = start_server([index_of(gold), index_of(clumsy)])
    runner, address = asyncio.run_coroutine_threadsafe(starting, loop).result(60)
    yield Served(address)
    asyncio.run_coroutine_threadsafe(runner.cleanup(), loop).result(60)
    loop.call_soon_threadsafe(loop.stop)
    thread.join()
    loop.close()


def test_the_address_has_a_token_that_cannot_be_guessed_and_is_on_loopback(served):
    assert served.place.hostname == "127.0.0.1"
    assert len(served.place.path.strip("/")) >= 20


def test_the_page_is_kept_by_nobody_and_framed_by_nobody(served):
    status, headers, body = served.page()
    assert status == 200
    assert b"<h1" in body
    assert headers["Content-Type"] == "text/html; charset=utf-8"
    assert headers["Content-Security-Policy"].startswith("default-src 'none'")
    assert headers["Cache-Control"] == "no-store"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "no-referrer"


@pytest.mark.parametrize("path", ["/", "/wrong-token/", "/episode?run=0&i=0", "/wrong-token/search?q=a"])
def test_without_the_token_there_is_nothing(served, path):
    status, _, body = served.get(path)
    assert status == 404
    assert b"Refund" not in body


@pytest.mark.parametrize("host", ["evil.example", "evil.example:{port}", "127.0.0.1.evil.example:{port}", "10.0.0.1"])
def test_a_foreign_host_name_is_refused_even_with_the_token(served, host):
    assert served.page(Host=host.format(port=served.place.port))[0] == 403


def test_localhost_is_an_own_name(served):
    assert served.page(Host=f"localhost:{served.place.port}")[0] == 200


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_what_the_page_of_another_site_sends_is_refused(served, site):
    for path in ("", "episode?run=0&i=0", "search?q=a"):
        assert served.page(path, Sec_Fetch_Site=site)[0] == 403


@pytest.mark.parametrize("site", ["none", "same-origin"])
def test_what_the_page_itself_or_a_person_sends_is_answered(served, site):
    assert served.page("episode?run=0&i=0", Sec_Fetch_Site=site)[0] == 200


def test_a_record_of_either_run_is_served_as_json(served, gold, clumsy):
    for run, path in enumerate((gold, clumsy)):
        status, headers, body = served.page(f"episode?run={run}&i=5")
        assert (status, headers["Content-Type"]) == (200, "application/json; charset=utf-8")
        assert json.loads(body) == index_of(path).record(5)


@pytest.mark.parametrize("query", ["run=2&i=0", "run=-1&i=0", "run=x&i=0", "run=0", "i=44", "i=-1", "i=%C2%B2"])
def test_a_record_that_is_not_there_is_a_404(served, query):
    assert served.page(f"episode?{query}")[0] == 404


def test_the_server_searches(served):
    found = json.loads(served.page(f"search?q={quote('ORDER 1004.')}")[2])
    assert len(found) == 4


# --- the command ---


def test_export_writes_one_file_and_says_how_big_it_is(clumsy, tmp_path, capsys):
    file = tmp_path / "page.html"
    assert main(["view", str(clumsy), "--export", str(file)]) == 0
    assert re.fullmatch(r"\S+page\.html \(\d+ KB, 44 episodes\)\n", capsys.readouterr().out)
    assert len(data_in(file.read_text(encoding="utf-8"))["records"][0]) == 44


def test_the_second_run_is_the_later_one_as_in_diff(clumsy, gold, tmp_path):
    file = tmp_path / "page.html"
    assert main(["view", str(clumsy), str(gold), "--export", str(file)]) == 0
    runs = data_in(file.read_text(encoding="utf-8"))["runs"]
    assert [run["manifest"]["policy"] for run in runs] == ["gold", "clumsy"]


def test_an_export_is_written_one_episode_at_a_time(clumsy):
    index = index_of(clumsy)
    page, _ = render([index], whole=True)
    longest = max(len(json.dumps(record, ensure_ascii=False)) for record in index.records())
    assert "".join(pieces([index])) == page
    assert max(map(len, pieces([index]))) < 2 * longest < len(page) / 2


def test_an_export_to_a_disk_that_is_full_is_one_line_and_leaves_the_file_that_was_there(clumsy, tmp_path, capsys):
    file = tmp_path / "page.html"
    file.write_text("what was there")
    with no_file_above(10_000):
        assert main(["view", str(clumsy), "--export", str(file)]) == 2
    assert "cannot be written" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["page.html"]
    assert file.read_text() == "what was there"


def test_an_export_that_cannot_be_written_is_one_line(clumsy, tmp_path, capsys):
    assert main(["view", str(clumsy), "--export", str(tmp_path / "no" / "page.html")]) == 2
    assert "cannot be written: No such file or directory. Take another --export." in capsys.readouterr().err


def test_a_run_without_episodes_says_how_to_run_them(tmp_path, capsys):
    write_run(tmp_path / "run")
    assert main(["view", str(tmp_path / "run")]) == 2
    error = capsys.readouterr().err
    assert f"{tmp_path / 'run'} has no episodes yet. `grpo-env eval --resume {tmp_path / 'run'}`" in error


@pytest.mark.parametrize("port", ["-1", "65536"])
def test_a_number_that_is_no_port_is_one_line(clumsy, port, capsys):
    assert main(["view", str(clumsy), f"--port={port}", "--no-browser"]) == 2
    assert f"--port must be from 0 to 65535, got {port}." in capsys.readouterr().err


def test_a_port_in_use_is_one_line(clumsy, capsys):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["view", str(clumsy), "--port", str(port), "--no-browser"]) == 2
    assert f"Port {port} cannot be used" in capsys.readouterr().err


def test_the_command_prints_the_address_and_serves_until_ctrl_c(clumsy):
    command = [sys.executable, "-m", "grpo_env_sdk", "view", str(clumsy), "--no-browser"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stdout
        address = process.stdout.readline().strip()
        assert Served(address).page()[0] == 200
        process.send_signal(signal.SIGINT)
        error = process.communicate(timeout=60)[1]
    assert (process.returncode, error) == (0, "Stopped.\n")
