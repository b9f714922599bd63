import pytest

from grpo_env_sdk import call_message
from grpo_env_trl.demo.slot_values import Values


def asked(text):
    return {"role": "user", "content": text}


def told(text):
    return {"role": "tool", "content": text, "name": "look"}


def said(text):
    return {"role": "assistant", "content": text}


def test_numbers_and_ids_are_values_wherever_they_stand():
    values = Values([])
    assert all(word in values for word in ("7", "2.5", "H31", "2nd"))
    assert "seven" not in values


def test_what_calls_and_their_answers_hold_is_a_value_and_their_names_are_not():
    values = Values([[call_message("look", city="Lyon"), told('{"hotel": "Anker", "rooms": [{"kind": "twin"}]}')]])
    assert all(word in values for word in ("Lyon", "Anker", "twin"))
    assert not any(word in values for word in ("look", "city", "hotel", "rooms", "kind"))


def test_a_sentence_in_an_answer_is_no_value():
    values = Values([[told('{"error": "There is no such hotel."}')], [told("nothing that is JSON here")]])
    assert not any(word in values for word in ("There", "hotel", "nothing", "JSON"))


def test_words_that_some_answers_have_and_others_lack_are_values():
    values = Values([[asked("Which?"), said(f"Take {colour}.")] for colour in ("red", "green", "blue")])
    assert "red" in values
    assert "Take" not in values
    assert "Which" not in values


def test_only_values_are_changed_and_each_is_told_its_place():
    values = Values([])
    places = []

    def change(place, value):
        places.append((place, value))
        return 9

    call = call_message("book", hotel="H1", guests=[{"age": 30}, {"age": 4}])
    changed = values.changed({**call, "content": "Two for H1."}, change)
    assert changed["content"] == "Two for 9."
    assert changed["tool_calls"][0]["function"] == {
        "name": "book",
        "arguments": {"hotel": 9, "guests": [{"age": 9}, {"age": 9}]},
    }
    assert (("book", "guests", "age"), 4) in places
    assert (("book", "hotel"), "H1") in places


@pytest.mark.parametrize("other", ["Two for H2.", "Two for 17."])
def test_answers_that_differ_in_values_alone_have_the_same_places(other):
    found = []
    for text in ("Two for H1.", other):
        Values([]).changed(said(text), lambda place, value: found.append(place) or value)
    assert found[0] == found[1]


def test_a_content_of_parts_is_read_as_text():
    parts = [{"type": "text", "text": "Take H1."}]
    assert Values([]).changed({"role": "assistant", "content": parts}, lambda place, value: "H2")["content"] == (
        "Take H2."
    )
