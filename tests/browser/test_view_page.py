import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from grpo_env_sdk.runs.writing import create_run
from tests.viewing.test_growing_runs import PLANNED, written
from tests.viewing.test_viewing import made
from tests.viewing.viewed_runs import NASTY

pytestmark = pytest.mark.browser

NOTHING = "\N{EN DASH}"
NARROW = {"viewport": {"width": 400, "height": 800}}
BOTH = pytest.mark.parametrize("how", ["served", "exported"])


@pytest.fixture
def address(how, serve, export):
    """The page of the clumsy run, in both ways in which a person can have it."""
    return (serve if how == "served" else export)("clumsy")


def episodes(reader, text):
    expect(reader.page.locator("#count")).to_have_text(text)


# --- finding the worst ---


@BOTH
def test_the_first_thing_to_read_is_what_was_measured_and_what_failed(reader, address):
    page = reader.open(address).page
    expect(page).to_have_title("clumsy on tests.viewing.viewed_runs:Refunds")
    expect(page.locator("#about")).to_contain_text(
        re.compile(r"reward 0\.398 \[0\.357, 0\.440\] · 44 episodes · 12 without")
    )
    expect(page.locator("#charts")).to_contain_text("right")
    expect(page.get_by_role("button", name=re.compile("^11 .* environment score: RuntimeError"))).to_be_visible()


@BOTH
def test_the_worst_come_first_and_failures_before_them(reader, address):
    reader.open(address)
    rewards = reader.column("reward")
    assert rewards[:12] == [NOTHING] * 12
    assert [float(value) for value in rewards[12:]] == sorted(float(value) for value in rewards[12:])


@BOTH
@pytest.mark.parametrize(
    ("order", "column", "first"),
    [
        ("best first", "reward", "1.000"),
        ("by row", "row / sample", "0 / 0"),
        ("most turns", "turns", "2"),
        ("most failed calls", "calls", "1 (1 failed)"),
    ],
)
def test_another_order_is_a_choice_away(reader, address, order, column, first):
    reader.open(address).page.get_by_label("sort").select_option(order)
    assert reader.column(column)[0] == first


def test_how_an_episode_ended_filters(reader, serve):
    page = reader.open(serve("clumsy")).page
    page.get_by_label("ended").select_option("policy_error (1)")
    episodes(reader, "1 of 44 episodes")
    assert reader.column("ended") == ["policy_error"]
    page.get_by_role("button", name="clear filters").click()
    episodes(reader, "44 episodes")
    expect(page.get_by_role("button", name="clear filters")).to_be_hidden()


def test_failed_only_filters(reader, serve):
    reader.open(serve("clumsy")).page.get_by_label("failed only").check()
    episodes(reader, "12 of 44 episodes")


def test_a_cause_of_failure_filters_until_it_is_chosen_again(reader, serve):
    button = reader.open(serve("clumsy")).page.get_by_role("button", name="policy generate: ConnectionError")
    button.click()
    episodes(reader, "1 of 44 episodes")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    episodes(reader, "44 episodes")
    expect(button).to_have_attribute("aria-pressed", "false")


def test_a_bar_of_the_histogram_filters_by_mouse_and_by_keyboard(reader, serve):
    page = reader.open(serve("clumsy")).page
    bar = page.get_by_role("button", name="11 episodes with a reward from 0.25 to 0.30")
    bar.click()
    episodes(reader, "11 of 44 episodes")
    assert set(reader.column("reward")) == {"0.250"}
    bar.focus()
    reader.press("Space")
    episodes(reader, "44 episodes")
    reader.press("Enter")
    episodes(reader, "11 of 44 episodes")
    expect(bar).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#detail")).to_be_hidden()


def test_filters_add_up_and_may_leave_nothing(reader, serve):
    page = reader.open(serve("clumsy")).page
    page.get_by_label("failed only").check()
    page.get_by_role("button", name="11 episodes with a reward from 0.25").click()
    episodes(reader, "0 of 44 episodes")
    reader.press("j", "k", "g", "n", "p", "Escape")
    expect(page.locator("#detail")).to_be_hidden()


@BOTH
def test_a_search_finds_what_a_tool_answered_and_opens_the_fold_that_has_it(reader, address):
    page = reader.open(address).page
    page.get_by_label("Search transcripts").fill("NO ORDER 999")
    episodes(reader, "11 of 44 episodes")
    reader.press("Enter")
    expect(page.locator("tr.here")).to_be_focused()
    reader.press("Enter")
    page.locator("article").wait_for()
    expect(page.get_by_text('"message": "LookupError: there is no order 999"').last).to_be_visible()
    expect(page.get_by_text("raise LookupError")).to_be_visible()
    expect(page.locator("details", has_text="thoughts")).not_to_have_attribute("open", "")


@BOTH
@pytest.mark.parametrize(
    ("text", "found"), [("onerror=window", 44), ('"quotes"', 0), ("assistant", 0), ("Order 1004.", 4)]
)
def test_a_search_gives_the_same_in_a_file_as_from_the_server(reader, address, text, found):
    page = reader.open(address).page
    page.get_by_label("Search transcripts").fill(text)
    expect(page.get_by_role("button", name="clear filters")).to_be_visible()
    assert reader.count == (f"{found} of 44 episodes" if found < 44 else "44 episodes")


# --- understanding why ---


def test_a_failed_episode_shows_whose_code_failed_where_and_its_traceback(reader, serve):
    reader.open(serve("clumsy")).choose(1, 3)
    fault = reader.page.locator(".fault")
    expect(fault).to_contain_text("environment failed in score: RuntimeError")
    expect(fault).to_contain_text("the scorer cannot read crash")
    traceback = fault.get_by_text("raise RuntimeError")
    expect(traceback).to_be_hidden()
    fault.get_by_text("traceback", exact=True).click()
    expect(traceback).to_be_visible()


def test_an_episode_shows_its_reward_parts_timings_and_tokens(reader, serve):
    reader.open(serve("clumsy")).choose(1, 2)
    article = reader.page.locator("article")
    facts = article.locator("dt, dd").all_inner_texts()
    assert facts == ["reward", "0.250", "right", "0.000", "found", "1.000"]
    told = article.locator(".soft").inner_text()
    assert re.match(
        r"terminated · 2 turns · 1 tool call · \d+\.\d{3} s \(policy .*, tools .*, environment .*, score", told
    )
    assert "280 prompt tokens · 23 completion tokens" in told


def test_tool_calls_thoughts_and_the_row_are_folded_until_somebody_opens_them(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 1)
    assert page.locator("#detail details[open]").count() == 0
    call = page.locator("details", has_text="→\u00a0find_order")
    expect(call.locator("summary")).to_have_text('→\u00a0find_order({"order":999})')
    expect(call.locator("pre")).to_be_hidden()
    call.locator("summary").click()
    expect(call.locator("pre")).to_have_text('{ "order": 999 }')
    expect(page.get_by_text("thoughts")).to_be_visible()
    expect(page.get_by_text("row", exact=True)).to_be_visible()


def test_a_failed_tool_call_stands_out_and_has_its_traceback(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 1)
    box = page.locator(".message", has_text="tool_failed")
    expect(box.locator(".role")).to_have_text(re.compile(r"tool · find_order · 0\.\d{3} s · tool_failed"))
    expect(box.locator(".role")).to_have_class("role bad")
    box.get_by_text("traceback", exact=True).click()
    expect(box.get_by_text("raise LookupError")).to_be_visible()


def test_a_very_long_text_is_cut_short_and_whole_in_a_fold(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 2)
    fold = page.get_by_text(re.compile(r"^all 40,\d{3} characters$"))
    expect(fold).to_be_visible()
    fold.click()
    assert page.locator("details[open] pre").inner_text().endswith("unbroken" * 1000)


def test_all_samples_of_a_row_stand_side_by_side_under_their_prompt(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 2)
    page.get_by_role("button", name="all samples (g)").click()
    expect(page.get_by_role("heading", name="row 1, 4 samples")).to_be_visible()
    assert page.locator("article h2").all_inner_texts() == [f"sample {i}" for i in range(4)]
    assert page.locator("article dd:nth-of-type(1)").all_inner_texts() == ["1.000", "0.000", "0.250", NOTHING]
    boxes = [box.bounding_box() for box in page.locator("article").all()]
    assert len({box["y"] for box in boxes}) == 1
    assert [box["x"] for box in boxes] == sorted({box["x"] for box in boxes})
    assert page.get_by_text("Refund order 1001.", exact=True).and_(page.locator("pre")).count() == 1
    page.get_by_role("button", name="one sample (g)").click()
    expect(page.get_by_role("heading", name="row 1, sample 2")).to_be_visible()


def test_two_runs_are_compared_what_fell_most_first(reader, serve):
    page = reader.open(serve("clumsy", "gold")).page
    expect(page.locator("#compared")).to_contain_text(
        re.compile(r"Compared with gold .*: 1\.000 .* before, 0\.39. .* after")
    )
    expect(page.locator("#compared")).to_contain_text("of 11 rows 0 rose, 11 fell, 0 unchanged")
    page.get_by_text("changed settings").click()
    expect(page.get_by_text('policy was "gold" and is "clumsy"')).to_be_visible()
    assert list(dict.fromkeys(reader.column("change"))) == [NOTHING, "-1.000", "-0.750", "0.000"]
    assert set(reader.column("before")) == {"1.000"}
    page.get_by_label("sort").select_option("largest gain first")
    assert reader.column("change")[0] == "0.000"


def test_an_episode_stands_beside_the_one_before_it(reader, serve):
    reader.open(serve("clumsy", "gold")).choose(1, 1)
    names = reader.page.locator("article h2").all_inner_texts()
    assert [re.sub(r"\(.*\)", "", name).strip() for name in names] == ["before: gold", "after: clumsy"]
    assert reader.page.locator("article dd:nth-of-type(1)").all_inner_texts() == ["1.000", "0.000"]


def test_whoever_is_asked_for_last_is_shown_however_late_the_others_come(reader, serve):
    page = reader.open(serve("clumsy")).page
    held = []
    page.route("**/episode?*", lambda route: held.append(route), times=1)
    page.get_by_role("cell", name="1 / 1", exact=True).click()
    reader.choose(1, 2)
    with page.expect_response("**/episode?*"):
        held[0].continue_()
    page.wait_for_timeout(100)
    expect(page.get_by_role("heading", name="row 1, sample 2")).to_be_visible()


# --- by keyboard ---


@BOTH
def test_an_episode_is_found_read_and_left_by_keyboard_alone(reader, address):
    page = reader.open(address).page
    here = page.locator("tr.here td:first-child")
    expect(here).to_have_text("0 / 3")
    reader.press("j", "j", "k", "Enter")
    expect(page.get_by_role("heading", name="row 1, sample 3")).to_be_visible()
    reader.press("j")
    expect(page.get_by_role("heading", name="row 2, sample 0")).to_be_visible()
    reader.press("g")
    expect(page.get_by_role("heading", name="row 2, 4 samples")).to_be_visible()
    reader.press("g")
    expect(page.get_by_role("heading", name="row 2, sample 0")).to_be_visible()
    reader.press("Escape")
    expect(page.locator("#detail")).to_be_hidden()
    expect(page.locator("tr.here")).to_be_focused()
    expect(here).to_have_text("2 / 0")


def test_slash_begins_a_search_and_letters_in_it_are_letters(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.press("/")
    expect(page.get_by_label("Search transcripts")).to_be_focused()
    reader.press("j", "g", "n")
    expect(page.get_by_label("Search transcripts")).to_have_value("jgn")
    episodes(reader, "0 of 44 episodes")
    reader.press("Escape")
    expect(page.get_by_label("Search transcripts")).not_to_be_focused()


def test_enter_leaves_the_search_for_the_first_that_it_found(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.press("/")
    page.keyboard.type("order 1004.")
    reader.press("Enter")
    expect(page.locator("tr.here")).to_be_focused()
    episodes(reader, "4 of 44 episodes")
    page.wait_for_timeout(400)
    expect(page.locator("tr.here")).to_be_focused()


def test_enter_on_a_button_presses_it(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 2)
    page.get_by_role("button", name="close (Esc)").focus()
    reader.press("Enter")
    expect(page.locator("#detail")).to_be_hidden()


@pytest.mark.parametrize("reader", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_whatever_has_the_focus_shows_it(reader, serve):
    page = reader.open(serve("clumsy")).page
    seen = set()
    while "TR" not in seen:
        reader.press("Tab")
        name, style, width = page.evaluate(
            "[document.activeElement].map((e) => [e.tagName, getComputedStyle(e)])"
            ".map(([name, style]) => [name, style.outlineStyle, style.outlineWidth])[0]"
        )
        seen.add(name)
        assert (style, width) == ("solid", "2px"), name
    assert {"g", "BUTTON", "INPUT", "SELECT", "TR"} <= seen


# --- safe ---


@BOTH
def test_a_transcript_full_of_markup_shows_as_text_and_runs_nothing(reader, address):
    page = reader.open(address).page
    for sample in range(4):
        reader.choose(2, sample)
        page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
        assert "<script>window.pwned=1</script>" in page.inner_text("#detail")
    reader.choose(2, 0)
    assert NASTY in page.locator(".fault pre").first.text_content()
    assert page.locator("main :is(script, img, iframe, svg, a)").count() == 0


def test_an_exported_file_asks_the_network_for_nothing(reader, export):
    page = reader.open(export("clumsy", "gold")).page
    reader.choose(1, 1)
    reader.press("g")
    expect(page.get_by_role("heading", name="row 1, 4 samples")).to_be_visible()
    page.get_by_label("Search transcripts").fill("1004")
    expect(page.get_by_role("button", name="clear filters")).to_be_visible()
    assert {urlsplit(url).scheme for url in reader.requests} == {"file"}
    assert len(reader.requests) == 1


def test_a_served_page_asks_only_its_own_server_and_for_records_only_when_they_are_opened(reader, serve):
    address = serve("clumsy")
    reader.open(address)
    assert [url for url in reader.requests if "favicon" not in url] == [address]
    reader.choose(1, 1)
    asked = [url.removeprefix(address) for url in reader.requests if "favicon" not in url][1:]
    assert len(asked) == 1
    assert re.fullmatch(r"episode\?run=0&i=\d+&version=0", asked[0])


def test_the_page_of_another_origin_is_refused_and_reads_nothing(browser, serve, export):
    address = serve("clumsy")
    context = browser.new_context()
    page = context.new_page()
    page.goto(export("gold").replace("page.html", ""))
    statuses = []
    page.on("response", lambda response: statuses.append(response.status))
    for options in ("{}", "{mode: 'no-cors'}"):
        read = page.evaluate(f"fetch('{address}', {options}).then((a) => a.text()).catch(() => '')")
        assert read == ""
    context.close()
    assert set(statuses) == {403}


def test_a_server_that_is_gone_is_said_and_leaves_what_is_shown(reader, serve):
    page = reader.open(serve("clumsy")).page
    reader.choose(1, 1)
    page.context.set_offline(True)
    page.get_by_role("cell", name="1 / 2", exact=True).click()
    expect(page.get_by_role("alert")).to_contain_text("The server does not answer. Start grpo-env view again")
    expect(page.get_by_role("heading", name="row 1, sample 1")).to_be_visible()
    page.context.set_offline(False)
    page.get_by_role("cell", name="1 / 3", exact=True).click()
    expect(page.get_by_role("heading", name="row 1, sample 3")).to_be_visible()
    expect(page.get_by_role("alert")).to_be_hidden()
    assert all("ERR_INTERNET_DISCONNECTED" in complaint for complaint in reader.complaints)
    reader.complaints.clear()


# --- large, small, light and dark ---


@pytest.mark.parametrize("how", ["served", "exported"])
def test_ten_thousand_episodes_come_in_pages(reader, how, serve, export):
    page = reader.open((serve if how == "served" else export)("many")).page
    episodes(reader, "10,000 episodes")
    assert page.locator("tbody tr").count() == 100
    expect(page.locator("#page")).to_have_text("1 of 100")
    expect(page.get_by_role("button", name="previous")).to_be_disabled()
    page.get_by_role("button", name="next").click()
    expect(page.locator("#page")).to_have_text("2 of 100")
    assert reader.column("reward")[0] == "0.000"
    reader.press("n", "p", "p", "p")
    expect(page.locator("#page")).to_have_text("1 of 100")
    page.get_by_label("Search transcripts").fill("the answer is 9998")
    episodes(reader, "1 of 10,000 episodes")
    expect(page.locator("#pages")).to_be_hidden()
    reader.choose(2499, 2)
    expect(page.locator("article")).to_contain_text("the answer is 9998")


@pytest.mark.parametrize("reader", [NARROW, NARROW | {"color_scheme": "dark"}], indirect=True)
@pytest.mark.parametrize("names", [("clumsy",), ("clumsy", "gold"), ("many",)])
def test_nothing_is_wider_than_a_telephone(reader, serve, names):
    page = reader.open(serve(*names)).page
    widest = "document.documentElement.scrollWidth"
    assert page.evaluate(widest) <= 400
    table = page.locator("table").bounding_box()
    assert table["x"] + table["width"] <= 400
    page.locator("tbody tr").nth(25).click()  # one whose text is long and unbroken, in the clumsy run
    page.locator("article").first.wait_for()
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")
    assert page.evaluate(widest) <= 400
    inside = "[document.querySelector('#detail')].every((e) => e.scrollWidth <= e.clientWidth)"
    assert page.evaluate(inside)
    assert page.evaluate(inside.replace("#detail", "article"))
    reader.press("g")
    expect(page.get_by_role("heading", name=re.compile("4 samples"))).to_be_visible()
    assert page.evaluate(widest) <= 400
    page.get_by_role("button", name="close (Esc)").click()
    expect(page.locator("#detail")).to_be_hidden()


@pytest.mark.parametrize("reader", [{"color_scheme": "light"}, {"color_scheme": "dark"}], indirect=True)
def test_every_text_stands_out_from_its_background(reader, serve):
    reader.open(serve("clumsy")).choose(1, 3)
    back = reader.brightness("body", "backgroundColor")
    scheme = reader.page.evaluate("matchMedia('(prefers-color-scheme: dark)').matches")
    assert (back < 0.1) == scheme
    roles = [f"[data-role={role}] .role" for role in ("user", "assistant", "tool")]
    for selector in ("body", "#about", "th", "tbody .bad", ".fault .bad", *roles):
        assert reader.contrast(selector) >= 4.5, selector


# --- images ---


@BOTH
def test_an_image_of_a_message_is_shown_where_the_model_saw_it(reader, how, serve, export):
    page = reader.open((serve if how == "served" else export)("colours")).page
    page.locator("tbody tr").first.click()
    image = page.locator("article .message[data-role=user] img")
    expect(image).to_have_count(1)
    size = image.evaluate("async (one) => { await one.decode(); return [one.naturalWidth, one.naturalHeight]; }")
    assert size == [6, 4]
    expect(page.locator("article .message[data-role=user] pre")).to_have_text("Which colour?")


@BOTH
def test_a_turn_that_read_less_than_the_transcript_says_how_much(reader, how, serve, export):
    page = reader.open((serve if how == "served" else export)("doors")).page
    page.locator("tbody tr").first.click()
    turns = page.locator("article .message[data-role=assistant]")
    expect(turns).to_have_count(6)
    expect(turns.nth(2)).to_contain_text("read 5 of 5 messages")
    expect(turns.nth(5)).to_contain_text("read 5 of 11 messages")


# --- a run that changes under the page ---


def test_a_page_of_a_run_that_has_just_begun_fills_as_it_is_loaded_again(reader, tmp_path, serve_folder):
    with create_run(tmp_path / "run", PLANNED) as writer:
        page = reader.page
        page.goto(serve_folder(tmp_path / "run"))
        expect(page.locator("#about")).to_contain_text("0 episodes of 9 planned · running: load the page again")
        writer.append(made(0))
        reader.open(page.url)
        expect(page.locator("#about")).to_contain_text("1 episode of 9 planned")
    page.reload()
    expect(page.locator("#about")).not_to_contain_text("running")


def test_a_page_says_that_its_run_is_another_one_by_now(reader, tmp_path, serve_folder):
    address = serve_folder(written(tmp_path / "run", made(0), made(1)))
    page = reader.open(address).page
    (tmp_path / "run").rename(tmp_path / "moved")
    page.get_by_role("row").nth(1).click()
    expect(page.locator("#gone")).to_contain_text("run/episodes.jsonl has changed since it was opened")
    reader.complaints.clear()  # of the browser, about the answer 409
