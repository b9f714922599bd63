"""The mistakes of the groups episode and tools, each proven by hand."""

import contextlib
import json
import signal
from itertools import pairwise

import pytest

from grpo_env_sdk import call_message
from grpo_env_sdk.types import row_seed
from tests.gallery.playing import class_of, mean, opened, play, play_gold, rows_of


def begin(name, row=None, env=None):
    row = row or rows_of(name)[0]
    env = env or class_of(name)()
    env.reset(seed=row_seed(row), options=row)
    return env


@contextlib.contextmanager
def interrupted_after(seconds):
    def interrupt(signum, frame):
        raise TimeoutError("still not back")

    before = signal.signal(signal.SIGALRM, interrupt)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_the_cart_of_the_last_episode_is_still_full():
    env = begin("cart_kept")
    env.step(call_message("add", item="tea", count=2))
    assert begin("cart_kept", env=env).cart == {"tea": 2}


def test_one_seed_gives_several_secrets():
    env, row = class_of("unseeded_secret")(), rows_of("unseeded_secret")[0]
    assert len({begin("unseeded_secret", row, env).secret for _ in range(50)}) > 1


def test_a_second_instance_wipes_what_the_first_said():
    rows = rows_of("shared_history")
    one = begin("shared_history", rows[0])
    one.step(one.solve(rows[0])[0])
    begin("shared_history", rows[1])
    assert one.said == [rows[1]["first"]]


def test_behind_one_door_of_one_row_the_belts_go_in_a_circle():
    rows = rows_of("conveyor_circle")
    for row in rows[:41] + rows[42:]:
        for door in "012":
            begin("conveyor_circle", row).step(door)
    with pytest.raises(TimeoutError, match="still not back"), interrupted_after(0.2):
        begin("conveyor_circle", rows[41]).step("0")


def test_a_wrong_answer_never_ends_the_episode():
    env = begin("endless_patience")
    assert not any(any(env.step("purple")[2:4]) for _ in range(2000))


def test_closing_twice_raises():
    env = begin("closes_once")
    env.close()
    with pytest.raises(AttributeError, match="NoneType"):
        env.close()


def test_only_the_third_message_has_to_be_a_number():
    assert play("final_offer", 0, "hello", "hello", "60").reward == 1.0
    episode = play("final_offer", 0, "hello", "hello", "60, please")
    assert (episode.stop_reason, episode.error.type, episode.turns) == ("env_error", "ValueError", 3)


def test_a_solved_lock_is_truncated_and_a_lost_one_terminated():
    assert play_gold("truncated_when_solved", 0).stop_reason == "truncated"
    assert play("truncated_when_solved", 0, *["xx"] * 10).stop_reason == "terminated"


def test_a_replay_makes_another_id():
    episode = play_gold("fresh_ids", 0)
    assert episode.reward == 1.0
    replayed = class_of("fresh_ids")().score_episode(None, None, episode.completion, row=episode.row)
    assert replayed == 0.0


def test_each_observation_is_twice_as_long():
    env = begin("repeating_log")
    sizes = [len(env.step("stay")[0]) for _ in range(10)]
    assert all(later > 1.9 * sooner for sooner, later in pairwise(sizes[1:]))


def test_the_tool_fails_on_an_instance_that_built_no_rows():
    assert "AttributeError" in play_gold("needs_built_dataset", 0).tool_calls[0]["content"]
    built = class_of("needs_built_dataset")()
    built.build_dataset(None)
    assert begin("needs_built_dataset", env=built).find_desk("Ada") == "A2"


def test_an_episode_takes_parcels_out_of_its_row():
    row = rows_of("eats_the_row")[0]
    begin("eats_the_row", row).step(call_message("load", kilos=3))
    assert row["shelf"] == [13, 19, 24]


def test_one_office_raises_though_the_schema_offers_it():
    call = call_message("offset", city="Delhi")
    assert play("one_city_raises", 0, call).tool_calls[0]["error"] == "tool_failed"
    for city in ("London", "Oslo", "Cairo", "Tokyo", "Lima", "Karachi"):
        assert play("one_city_raises", 0, call_message("offset", city=city)).tool_calls[0]["error"] is None


def test_a_set_is_no_result():
    calls = play("returns_a_set", 0, call_message("ingredients", recipe="kimchi")).tool_calls
    assert calls[0]["error"] == "tool_failed"
    assert play("returns_a_set", 0, call_message("ingredients", recipe="soup")).tool_calls[0]["error"] is None


def test_the_optional_date_of_the_schema_raises():
    call = call_message("book_table", guests=2, hour=18, date="Friday")
    assert "unexpected keyword" in play("other_parameter", 0, call).tool_calls[0]["content"]


def test_the_language_changes_nothing():
    env = begin("unused_parameter")
    assert env.translate("key", language="Spanish") == env.translate("key") == "Schlüssel"


def test_ordering_without_a_shop_is_always_best():
    assert mean("does_it_all", call_message("order")) == 1.0
    assert mean("does_it_all", call_message("order", shop="Aldo")) < 0.6


def test_after_reset_the_schema_holds_the_answer_alone():
    row = rows_of("answer_in_schema")[0]
    schema = begin("answer_in_schema", row).get_tools()[0]["function"]["parameters"]["properties"]["hour"]
    assert schema["enum"] == [hour for hour in row["ana"] if hour in row["bo"]]
    assert "enum" not in json.dumps(class_of("answer_in_schema")().get_tools())


def test_an_unknown_item_takes_a_second(slept):
    env = begin("polite_sleep")
    assert (env.stock("nails"), slept) == ("410", [])
    assert (env.stock("milk"), slept) == ("unknown item", [1.2])


def test_the_schema_describes_nothing():
    assert "description" not in json.dumps(opened("bare_schema").tools)


def test_a_short_search_gives_more_than_the_limit():
    search = [play("whole_table", 0, call_message("search", text=t)).tool_calls[0]["error"] for t in ("N", "N1000")]
    assert search == ["result_too_large", None]
