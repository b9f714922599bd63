"""Ready rewards for the form of an answer, and the tricks that do not pay."""

import json

import pytest

from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.errors import ConfigError
from grpo_env_sdk.rewards import json_fields, think_format, valid_tool_calls, xml_tags
from grpo_env_sdk.types import Episode

WANTED = {"city": "Lyon", "nights": 2, "wifi": True}


def said(**fields):
    return json.dumps(fields)


@pytest.mark.parametrize(
    ("completion", "score"),
    [
        (said(city="Lyon", nights=2, wifi=True), 1),
        (said(wifi=True, nights=2.0, city="Lyon"), 1),
        ("```json\n" + said(**WANTED) + "\n```", 1),
        ("```\n" + said(**WANTED) + "\n```", 1),
        ("<think>{}</think>" + said(**WANTED), 1),
        (said(city="Lyon", nights=2), 2 / 3),
        (said(city="Lyon"), 1 / 3),
        (said(city="Lyon", nights="2", wifi=True), 2 / 3),
        (said(city="Lyon", nights=2, wifi=1), 2 / 3),
        (said(**WANTED, stars=3), 3 / 4),
        (said(**WANTED, **{f"guess{n}": n for n in range(7)}), 3 / 10),
        (json.dumps([WANTED]), 0),
        ("Here it is: " + said(**WANTED), 0),
        (said(**WANTED) + said(**WANTED), 0),
        ("{}", 0),
        ("null", 0),
        ("not json", 0),
        ("", 0),
        ("[" * 100_000, 0),
    ],
)
def test_json_fields(completion, score):
    assert json_fields()(completion, WANTED) == pytest.approx(score)
    assert json_fields()(completion, json.dumps(WANTED)) == pytest.approx(score)


def test_nothing_is_wanted_and_nothing_said():
    assert json_fields()("{}", {}) == 1


def test_true_is_not_one_however_deep():
    assert json_fields()(said(a=[{"b": 1}]), {"a": [{"b": True}]}) == 0
    assert json_fields()(said(a=[{"b": 1.0}]), {"a": [{"b": 1}]}) == 1


def test_fields_that_arrow_filled_in_are_not_wanted():
    assert json_fields()(said(city="Lyon"), {"city": "Lyon", "nights": None}) == 1
    assert json_fields()(said(stay={"city": "Lyon"}), {"stay": {"city": "Lyon", "nights": None}}) == 1
    assert json_fields()(said(city="Lyon", nights=None), {"city": "Lyon", "nights": None}) == 1
    assert json_fields()(said(stay={"nights": None}), {"stay": {"nights": None}}) == 1


def test_a_null_in_json_text_was_meant():
    assert json_fields()(said(city="Lyon"), '{"city": "Lyon", "nights": null}') == 0.5
    assert json_fields()(said(city="Lyon", nights=None), '{"city": "Lyon", "nights": null}') == 1


@pytest.mark.parametrize("answer", ["not json", "[1]", 5])
def test_a_column_that_is_no_object_is_told(answer):
    with pytest.raises(ConfigError, match=r"json_fields needs a JSON object in the column, got .*\. Fill"):
        json_fields()(said(**WANTED), answer)


TAGS = ("think", "answer")
WHOLE = "<think>a</think>\n<answer>b</answer>"


@pytest.mark.parametrize(
    ("completion", "score"),
    [
        (WHOLE, 1),
        ("Well. " + WHOLE + "\n", 1),
        ("<answer>b</answer>", 0.5),
        ("<think>a</think><answer>", 0.492),
        ("<answer>b</answer><think>a</think>", 0.5),
        ("<think>a <answer>b</answer></think>", 0.5),
        ("<think></think><answer>b</answer>", 0.5),
        ("<think>a</think><answer> </answer>", 0.482),
        (WHOLE + "x" * 100, 0.9),
        (WHOLE + "x" * 5000, 0),
        (WHOLE * 2, 0),
        (WHOLE + "<answer>c</answer>", 0.464),
        ("<think><think><think>", 0),
        ("</think>a<think>", 0),
        ("", 0),
    ],
)
def test_xml_tags(completion, score):
    assert xml_tags(TAGS)(completion) == pytest.approx(score)


def test_repeating_tags_never_pays():
    whole = xml_tags(TAGS)(WHOLE)
    for times in range(2, 6):
        assert xml_tags(TAGS)(WHOLE * times) < whole


def test_xml_tags_see_thoughts_that_a_server_took_apart():
    chat = [{"role": "assistant", "reasoning_content": "a", "content": "<answer>b</answer>"}]
    assert xml_tags(TAGS)(chat) == 1


@pytest.mark.parametrize("tags", [[], "answer"])
def test_tags_are_a_list_of_some(tags):
    with pytest.raises(
        ConfigError, match=r"xml_tags got .*\. Give a list of names, such as \[\"think\", \"answer\"\]\."
    ):
        xml_tags(tags)


@pytest.mark.parametrize(
    ("completion", "score"),
    [
        ("<think>hm</think>42", 1),
        ("\n<think>\nhm\n</think>\n\n42\n", 1),
        ([{"role": "assistant", "content": "<think>hm</think>42"}], 1),
        ([{"role": "assistant", "reasoning_content": "hm", "content": "42"}], 1),
        ("42", 0),
        ("<think>hm</think>", 0),
        ("<think></think>42", 0),
        ("<think> </think>42", 0),
        ("<think>hm 42", 0),
        ("hm</think>42", 0),
        ("Well <think>hm</think>42", 0),
        ("<think>a</think>1<think>b</think>2", 0),
        ("<think><think>a</think>1", 0),
        ("<think>a</think></think>1", 0),
        ("", 0),
    ],
)
def test_think_format(completion, score):
    assert think_format()(completion) == score


@pytest.mark.parametrize("prompt", ["Guess.", [{"role": "user", "content": "Guess."}]])
def test_each_turn_has_a_form_of_its_own(prompt):
    def ended(*turns):
        said = [{"role": "assistant", "content": turn} if isinstance(turn, str) else turn for turn in turns]
        row = {"prompt": prompt}
        return Episode(env="x", row=row, seed=0, messages=said, opening=0, stop_reason="terminated")

    observed = {"role": "user", "content": "Again."}
    episode = ended(call_message("look"), "<think>a</think>b", observed, "<think>c</think>d", "<think>e</think>")
    assert think_format().of(episode) == pytest.approx(2 / 3)
    assert xml_tags(["think"]).of(episode) == pytest.approx((0.999 + 0.999 + 1) / 3)
    assert think_format().of(ended(call_message("look"))) == 0


def calls(*errors):
    return [{"name": "look", "error": error} for error in errors]


@pytest.mark.parametrize(
    ("made", "score"),
    [
        (calls(), None),
        (calls(None), 1),
        (calls(None, None, "invalid_arguments", "unknown_tool"), 0.5),
        (calls("malformed_call"), 0),
        (calls("tool_failed", "timeout", "result_too_large"), 1),
    ],
)
def test_what_the_model_got_wrong_counts_and_what_the_tool_got_wrong_does_not(made, score):
    assert valid_tool_calls()(made) == score
