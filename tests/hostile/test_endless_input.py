"""Files without end, YAML that repeats itself, replies that make a pattern slow, cookies: one line and little work."""

import asyncio

import pytest
from aiohttp import web

from grpo_env_sdk.cli import main
from grpo_env_sdk.cli.config_file import read_file
from grpo_env_sdk.data.named_file import text_of_named
from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies.openai_policy import OpenAIPolicy
from grpo_env_sdk.policies.policy import Request, Sampling
from grpo_env_sdk.rewards.code import code_in
from tests.stub_server import StubServer, says

ENV = "tests.policies.parrot:Parrot"
LONG = 1_000_000
"""What takes a second for each thousand characters in a step for each pair of them would take hours."""


@pytest.mark.parametrize("flags", [
    ["--model", "echo", "--config", "/dev/zero"], ["--model", "echo", "--env-config", "@/dev/zero"],
    ["--model", "scripted:/dev/zero"],
])  # fmt: skip
def test_a_named_file_without_end_is_one_line(flags, tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("grpo_env_sdk.policies.builtin.MOST_SCRIPTED", 2**20)
    assert main(["eval", ENV, *flags]) == 2
    told = capfd.readouterr().err
    assert "/dev/zero cannot be read: it has more than" in told
    assert len(told.splitlines()) == 1


def test_a_named_file_may_be_as_long_as_the_limit(tmp_path):
    file = tmp_path / "file"
    file.write_text("x" * 10)
    assert text_of_named(str(file), "it", "", most=10) == "x" * 10
    with pytest.raises(UsageError, match="it has more than"):
        text_of_named(str(file), "it", "", most=9)


BOMB = "rows:\n- &l0 [x]\n" + "".join(f"- &l{n} [{', '.join([f'*l{n - 1}'] * 9)}]\n" for n in range(1, 40))


@pytest.mark.parametrize("text", [BOMB, "rows: &a [*a, *a]\n", "rows: &a {again: *a}\n"])
def test_yaml_that_repeats_itself_without_end_is_one_line(text, tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text(text)
    with pytest.raises(UsageError, match="more than 10000 values"):
        read_file(str(file))


def test_yaml_may_name_a_value_again(tmp_path):
    file = tmp_path / "plan.yaml"
    file.write_text("env-config: &one {size: 4}\nother: *one\n")
    assert read_file(str(file)) == {"env-config": {"size": 4}, "other": {"size": 4}}


@pytest.mark.parametrize(("text", "code"), [
    ("```" + " " * LONG, None), ("```" + "\t" * LONG + "x", None), ("```" + "a" * LONG, None),
    ("```python\n" + "\n" * LONG, "\n" * LONG), ("```python\n" + " \n" * LONG + "x = 1\n```", " \n" * LONG + "x = 1\n"),
    ("```  \n" * (LONG // 6), ""),
])  # fmt: skip
def test_code_is_found_in_a_reply_of_white_space_and_fences_in_one_pass(text, code):
    assert code_in(text) == (text if code is None else code)


def test_code_is_found_as_before():
    text = "```\nx = 1\n```\n~~~ python \n\n\n    def f():\n        pass\n~~~\nand\n```python\nf()\n```"
    assert code_in(text) == "\n\n    def f():\n        pass\n"


def test_a_server_s_cookies_are_not_kept():
    sent = []

    async def with_cookies(asked):
        sent.append(asked.request.headers.get("Cookie"))
        answer = await says("x")(asked)
        assert isinstance(answer, web.Response)
        for number in range(5):
            answer.set_cookie(f"cookie-{len(sent)}-{number}", "x" * 1000)
        return answer

    async def ask(url):
        policy = OpenAIPolicy("x", url)
        for turn in range(3):
            await policy.respond(Request([{"role": "user", "content": "x"}], [], Sampling(), {}, turn=turn))
        await policy.close()

    with StubServer(with_cookies) as server:
        asyncio.run(ask(server.url))
    assert sent == [None, None, None]
