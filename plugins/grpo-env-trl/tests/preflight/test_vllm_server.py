"""What is found out of vLLM servers before a training."""

import socket
from threading import Thread
from types import SimpleNamespace

import pytest
from vllm_stub import VLLMStub

from grpo_env_sdk.cli import main
from grpo_env_trl.preflight.lengths import _too_long_for_servers
from grpo_env_trl.preflight.vllm_server import problems
from tests.stub_server import StubServer, raw


def found(tokenizer, *urls, gpus=None):
    """The problems of a training on these servers, each on a line."""
    args = SimpleNamespace(
        use_vllm=True, vllm_mode="server", vllm_importance_sampling_correction=True, vllm_server_base_url=urls[0]
    )
    setup = SimpleNamespace(args=args, gpus=gpus, server_urls=urls, server_contexts={}, tokenizer=tokenizer)
    planned = SimpleNamespace(setup=setup, has_text_tokenizer=True)
    return [str(problem) for problem in problems(planned)], setup.server_contexts


@pytest.fixture
def stub(tiny):
    """A server whose tokenizer is that of the model."""
    model, tokenizer = tiny()
    with VLLMStub(model, tokenizer=tokenizer) as server:
        yield server


def test_a_server_that_fits_is_told_nothing_and_its_context_is_known(stub, tiny):
    assert found(tiny()[1], stub.base) == ([], {stub.base: 512})


def test_where_nobody_answers_each_address_is_named(stub, tiny):
    stub.stop()
    told, _ = found(tiny()[1], stub.base, "http://127.0.0.1:9")
    assert [f"No vLLM server answers at {url}/v1/models" in line for url, line in zip(
        [stub.base, "http://127.0.0.1:9"], told, strict=True
    )] == [True, True]  # fmt: skip
    assert "Connection refused" in told[1]
    assert ".py" not in told[1]
    assert "vllm serve" in told[0]


def test_an_address_that_speaks_no_http_is_told_in_one_line(tiny):
    with socket.create_server(("127.0.0.1", 0)) as listening:
        Thread(target=_greet_as_ssh, args=(listening,), daemon=True).start()
        (line,), _ = found(tiny()[1], f"http://127.0.0.1:{listening.getsockname()[1]}")
    assert "No vLLM server answers" in line
    assert "SSH-2.0" in line


def _greet_as_ssh(listening):
    connection, _ = listening.accept()
    with connection:
        connection.recv(4096)
        connection.sendall(b"SSH-2.0-Server\r\n")


@pytest.mark.parametrize(("settings", "said"), [
    ({"weight_transfer_config": None}, "no weight transfer. Start it with --logprobs-mode processed_logprobs"),
    ({"model_config": {"logprobs_mode": "raw_logprobs"}}, r"before temperature (raw_logprobs). Start it with"),
])  # fmt: skip
def test_what_a_server_was_started_without_is_named_with_its_flags(stub, tiny, settings, said):
    stub.settings.update(settings)
    (line,), _ = found(tiny()[1], stub.base)
    assert said in line


def test_a_server_outside_dev_mode_takes_no_weights(stub, tiny):
    stub.settings = None
    (line,), _ = found(tiny()[1], stub.base)
    assert "VLLM_SERVER_DEV_MODE=1" in line


def test_another_tokenizer_is_refused(stub, tiny):
    (line,), _ = found(tiny("llama3.2")[1], stub.base)
    assert f"{stub.base} serves 'tiny', whose tokenizer is not that of the model" in line


@pytest.mark.parametrize("body", ["<html>", '{"data": []}', '{"data": [{"id": "gpt"}]}', "[]"])
def test_another_kind_of_server_is_not_taken_for_one(tiny, body):
    class Other(StubServer):
        async def answers(self, request):
            return await raw(body)(None)

    with Other() as other:
        (line,), _ = found(tiny()[1], other.url.removesuffix("/v1"))
    assert "vLLM server" in line


def test_a_context_that_is_shorter_than_an_episode_may_be_is_refused():
    config = SimpleNamespace(get_text_config=lambda: SimpleNamespace(max_position_embeddings=8192))
    args = SimpleNamespace(max_completion_length=100, use_vllm=True, vllm_max_model_length=None)
    setup = SimpleNamespace(args=args, server_contexts={"http://a": 512, "http://b": 8192})
    (problem,) = _too_long_for_servers({0: 5, 3: 500}, SimpleNamespace(setup=setup, config=config))
    assert problem.fatal
    assert "http://a reads 512 tokens, but the prompt of row 3 has 500" in str(problem)
    assert "--max-model-len 600" in str(problem)
    assert [*_too_long_for_servers({0: 5, 3: 412}, SimpleNamespace(setup=setup, config=config))] == []


def test_gpus_for_servers_are_refused_where_there_are_none(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["train", "hotel-v1", "--model", "m", "--vllm-server-gpus", "2", "--dry-run"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "--vllm-server-gpus 2 starts a vLLM server on GPUs of its own, and this machine has none" in told
    assert [*tmp_path.iterdir()] == []
