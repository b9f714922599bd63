"""The settings of vLLM servers: one way to say it, and what it contradicts."""

import pytest

from grpo_env_sdk.ext import UsageError
from grpo_env_trl.settings import read_settings, settings_from_arguments
from grpo_env_trl.settings.servers import base_url

A, B = "http://gpu-1:8000", "https://gpu-2:8000/path"


@pytest.mark.parametrize("written", [
    [f"{A},{B}"], [A, B], [A, "--vllm-server-url", B], [f"{A}/v1/", B, A], [f"{A} , {B},"],
])  # fmt: skip
def test_addresses_are_given_with_commas_or_apart_or_again(written):
    settings = read_settings(["hotel-v1", "--vllm-server-url", *written])
    assert settings.vllm_server_url == (A, B)
    assert settings.grpo == {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": A}


def test_one_address_is_trls_own_setting(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(f"env: hotel-v1\nvllm_server_url: {A}/v1\n")
    arguments = settings_from_arguments({"env": "hotel-v1", "vllm_server_url": A}, with_env=False)
    for settings in (read_settings(["--config", str(file)]), arguments):
        assert settings.vllm_server_url == ()
        assert settings.grpo == {"use_vllm": True, "vllm_mode": "server", "vllm_server_base_url": A}


def test_flags_win_over_the_servers_of_a_file(tmp_path):
    file = tmp_path / "run.yaml"
    file.write_text(
        f"env: hotel-v1\nuse_vllm: true\nvllm_mode: server\nvllm_server_base_url: {A}\nvllm_server_url: [{A}, {B}]\n"
    )
    assert read_settings(["--config", str(file)]).vllm_server_url == (A, B)
    other = read_settings(["--config", str(file), "--vllm-server-url", "http://new:1"])
    assert (other.vllm_server_url, other.grpo["vllm_server_base_url"]) == ((), "http://new:1")
    without = read_settings(["--config", str(file), "--use-vllm", "false"])
    assert (without.vllm_server_url, without.grpo["use_vllm"]) == ((), False)


def test_gpus_for_servers_mean_the_server_mode():
    settings = read_settings(["hotel-v1", "--vllm-server-gpus", "2"])
    assert settings.vllm_server_gpus == 2
    assert settings.grpo == {"use_vllm": True, "vllm_mode": "server"}


@pytest.mark.parametrize(("words", "said"), [
    (["--vllm-server-url", A, "--vllm-mode", "colocate"], "--vllm-mode is colocate"),
    (["--vllm-server-url", A, "--use-vllm", "false"], "--use-vllm is False"),
    (["--vllm-server-url", A, "--vllm-server-base-url", B], "--vllm-server-base-url is https://gpu-2"),
    (["--vllm-server-gpus", "1", "--vllm-mode", "colocate"], "--vllm-mode is colocate"),
    (["--vllm-server-gpus", "1", "--vllm-server-url", A], "starts servers, and --vllm-server-url names one"),
    (["--vllm-server-gpus", "0"], "--vllm-server-gpus"),
    (["--vllm-server-url", A, "reasoning"], "'reasoning' is not the http address of a vLLM server"),
])  # fmt: skip
def test_what_contradicts_it_is_refused(words, said):
    with pytest.raises(UsageError, match=said):
        read_settings(["hotel-v1", *words])


@pytest.mark.parametrize("written", ["", "gpu-1:8000", "ftp://gpu-1", "http://", "http://gpu-1:0", "http://[::1"])
def test_what_is_no_address_is_refused(written):
    with pytest.raises(UsageError, match="not the http address"):
        base_url(written)
