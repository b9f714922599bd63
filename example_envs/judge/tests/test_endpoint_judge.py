"""A judge behind HTTP: what it answers counts once, and what goes wrong is no verdict and never a 0."""

import asyncio
import json
import pickle

import pytest
from aiohttp import web
from grpo_env_sdk import GrpoEnvWarning, evaluate
from judge_server import HANGS_UP, NEVER, QUICK, first, grades, refuses, says, seal_of

from grpo_env_judge import JudgeEnv
from grpo_env_judge.endpoint_judge import EndpointJudge
from grpo_env_judge.question import UnreadableReplyError, read_reply
from grpo_env_judge.wording import notice

KEY = "sk-very-secret-0123456789"


def ask(judge, facts, *notices):
    """The verdicts on some notices, asked for at the same time."""

    async def gathered():
        return await asyncio.gather(*(judge.verdict(facts, text) for text in notices))

    return asyncio.run(gathered())


@pytest.mark.parametrize("grade", [0, 7, 10, 2.5])
def test_a_grade_is_a_verdict_from_0_to_1(server, judge, facts, grade):
    server.reply = grades(grade)
    assert ask(judge, facts, notice(facts)) == [grade / 10]


@pytest.mark.parametrize("reply", ['```json\n{"seal": "s", "grade": 8}\n```', ' {"grade": 8, "seal": "s"}\n'])
def test_a_code_fence_and_spaces_around_a_reply_do_no_harm(reply):
    assert read_reply(reply, "s") == 0.8


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("Good, 8 of 10.", "not one JSON object"),
        ('Sure! {"seal": "s", "grade": 8}', "not one JSON object"),
        ('{"seal": "s", "grade": 8} {"seal": "s", "grade": 10}', "not one JSON object"),
        ('{"seal": "s", "grade": 1, "grade": 10}', "not one JSON object"),
        ("[" * 100_000, "not one JSON object"),
        ("", "not one JSON object"),
        ("8", "not a seal and a grade"),
        ('{"grade": 8}', "not a seal and a grade"),
        ('{"seal": "s", "grade": 8, "verdict": 10}', "not a seal and a grade"),
        ('{"seal": "t", "grade": 8}', "not have the seal"),
        ('{"seal": null, "grade": 8}', "not have the seal"),
        ('{"seal": "s", "grade": 11}', "the grade 11,"),
        ('{"seal": "s", "grade": -1}', "the grade -1,"),
        ('{"seal": "s", "grade": NaN}', "the grade nan,"),
        ('{"seal": "s", "grade": true}', "the grade True,"),
        ('{"seal": "s", "grade": "8"}', "the grade '8',"),
        ('{"seal": "s", "grade": null}', "the grade None,"),
    ],
)
def test_a_reply_that_is_not_exactly_what_was_asked_for_is_no_verdict(reply, why):
    with pytest.raises(UnreadableReplyError, match=why):
        read_reply(reply, "s")


@pytest.mark.parametrize(
    ("reply", "requests", "why"),
    [
        (refuses(500), 3, "answered 500"),
        (refuses(429, **{"Retry-After": "0"}), 3, "answered 429"),
        (refuses(401), 1, "answered 401: .* Are base_url, model and key_variable right"),
        (lambda messages: web.Response(text="<h1>Welcome</h1>"), 3, "not JSON"),
        (lambda messages: web.json_response({"choices": []}), 3, "without a choice"),
        (says(HANGS_UP), 3, "No answer from"),
        (says("I like it."), 3, "not one JSON object: 'I like it.'"),
        (says('{"seal": "guessed", "grade": 10}'), 3, "not have the seal"),
        (grades(11), 3, "the grade 11,"),
    ],
)
def test_what_fails_is_tried_again_and_then_is_no_verdict(server, judge, facts, reply, requests, why):
    server.reply = reply
    with pytest.warns(GrpoEnvWarning, match=rf"reward abstains: .*{why}"):
        assert ask(judge, facts, notice(facts)) == [None]
    assert len(server.asked) == requests


def test_a_judge_that_recovers_is_heard(server, judge, facts):
    server.reply = first(refuses(500), refuses(429, **{"Retry-After": "0"}), says("hm"), then=grades(6))
    assert ask(judge, facts, notice(facts)) == [0.6]
    assert len(server.asked) == 4


def test_each_attempt_has_a_seal_of_its_own(server, judge, facts):
    server.reply = first(says("hm"), says("hm"), then=grades(6))
    ask(judge, facts, notice(facts))
    assert len({seal_of(messages) for messages in server.asked}) == 3


def test_a_judge_that_never_answers_is_left_at_the_deadline(server, facts):
    server.reply = says(NEVER)
    judge = EndpointJudge(server.url, "any", seconds=0.2, retries=QUICK)
    with pytest.warns(GrpoEnvWarning, match=r"did not reply within 0\.2 s"):
        assert ask(judge, facts, notice(facts)) == [None]


def test_a_wait_that_the_server_asks_for_does_not_outlast_the_deadline(server, facts):
    server.reply = refuses(429, **{"Retry-After": "3600"})
    judge = EndpointJudge(server.url, "any", seconds=1.0)
    with pytest.warns(GrpoEnvWarning, match=r"did not reply within 1 s"):
        assert ask(judge, facts, notice(facts)) == [None]
    assert len(server.asked) == 1


def test_it_complains_once_and_not_for_every_notice(server, judge, facts):
    server.reply = says("hm")
    with pytest.warns(GrpoEnvWarning) as said:
        ask(judge, facts, "one", "two", "three")
    assert len(said) == 1


def test_the_same_question_is_asked_once(server, judge, facts):
    server.reply = grades(5)
    assert ask(judge, facts, *["A notice."] * 8, "Another.") == [0.5] * 9
    ask(judge, facts, "A notice.", "Another.")
    assert len(server.asked) == 2


def test_a_question_that_found_no_verdict_is_asked_again(server, judge, facts):
    server.reply = says("hm")
    with pytest.warns(GrpoEnvWarning):
        ask(judge, facts, "A notice.")
    server.reply = grades(5)
    assert ask(judge, facts, "A notice.") == [0.5]


def test_the_key_comes_from_the_variable_of_the_config_and_is_written_nowhere(server, monkeypatch, tmp_path):
    monkeypatch.setenv("MY_JUDGE", KEY)
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-somebody-else")
    server.reply = grades(8)
    env = JudgeEnv(server.url, "any", key_variable="MY_JUDGE")
    assert KEY not in repr(env.judge)
    assert KEY.encode() not in pickle.dumps(env)
    config = {"base_url": server.url, "model": "any", "key_variable": "MY_JUDGE"}
    evaluate("judge-v1", "gold", rows=2, config=config, out=tmp_path / "run")
    assert set(server.keys) == {f"Bearer {KEY}"}
    written = {file.name: file.read_text() for file in (tmp_path / "run").iterdir() if file.is_file()}
    assert written.keys() >= {"manifest.json", "episodes.jsonl"}
    assert not any(KEY in text for text in written.values())


def test_without_a_variable_no_key_is_sent(server, judge, facts, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    server.reply = grades(8)
    ask(judge, facts, "A notice.")
    assert server.keys == [None]


def test_a_whole_evaluation_is_judged_over_http(server):
    server.reply = grades(7)
    found = evaluate("judge-v1", "gold", rows=10, config={"base_url": server.url, "model": "any"})
    assert found.summary["reward"]["mean"] == pytest.approx(0.7)
    assert len(server.asked) == 10


def test_where_the_judge_fails_an_episode_has_no_score_and_no_error(server):
    server.reply = refuses(401)
    config = {"base_url": server.url, "model": "any"}
    with pytest.warns(GrpoEnvWarning, match="Are base_url, model and key_variable right"):
        found = evaluate("judge-v1", "gold", rows=5, config=config)
    assert (found.summary["episodes"], found.summary["scored"], found.summary["errors"]) == (5, 0, {})
    assert found.summary["reward"]["mean"] is None


def test_what_can_be_checked_is_not_asked(server):
    row = JudgeEnv().build_dataset(None, split="test")[0]
    env = JudgeEnv(server.url, "any")
    said = ["", "Nothing of it.", notice_of(row) + "\n{}", notice_of(row) * 9]
    completions = [[{"role": "assistant", "content": text}] for text in said]
    assert [env.score_episode(None, None, completion, **row) for completion in completions] == [0.0] * 4
    assert not server.asked


def test_a_grade_counts_for_the_facts_that_are_told(server):
    row = JudgeEnv().build_dataset(None, split="test")[0]
    said = notice_of(row).replace(row["day"], "some day")
    completion = [{"role": "assistant", "content": said}]
    assert JudgeEnv(server.url, "any").score_episode(None, None, completion, **row) == pytest.approx(0.8)
    assert json.loads(server.asked[0][1]["content"])["notice"] == said


def notice_of(row):
    return JudgeEnv().solve(row)
