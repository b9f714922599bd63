"""The vLLM servers of one training: started by its first process, ready before TRL's trainer is created."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

from grpo_env_trl import ranks
from grpo_env_trl.preflight.vllm_server import served_model
from grpo_env_trl.progress import Progress
from grpo_env_trl.serving.command import SHARE, serve_command, serve_environment
from grpo_env_trl.serving.process import await_ready, free_port, running
from grpo_env_trl.setup.preparing import TrainingSetup
from grpo_env_trl.setup.sent_adapter import adapter_words


@contextmanager
def servers_started(setup: TrainingSetup, progress: Progress) -> Iterator[None]:
    """While this lasts the servers of `--vllm-server-gpus` run, and `setup` has their addresses."""
    if not setup.gpus:
        yield
        return
    with ExitStack() as running_now:
        setup.server_urls = ranks.from_first(lambda: _start(setup, progress, running_now))
        setup.args.vllm_server_base_url = setup.server_urls[0]
        yield


def _start(setup: TrainingSetup, progress: Progress, running_now: ExitStack) -> tuple[str, ...]:
    """Start all servers, then wait for each; their addresses."""
    assert setup.gpus
    begun = []
    for place, gpus in enumerate(setup.gpus.servers):
        port, log = free_port(), setup.folder / f"vllm-{place}.log"
        command = serve_command(served_model(setup), port, setup.args, len(gpus), _share(setup))
        command += adapter_words(setup)
        process = running_now.enter_context(running(command, serve_environment(gpus), log))
        begun.append((process, f"http://127.0.0.1:{port}", log, ",".join(gpus)))
    for process, url, log, named in begun:
        shown = partial(progress, f"starting vLLM on GPU {named}")
        await_ready(process, url, log, setup.args.vllm_server_timeout, shown)
    return tuple(url for _, url, _, _ in begun)


def _share(setup: TrainingSetup) -> float:
    """The share of memory that was asked for; the default of TRL is for a GPU that also trains."""
    name = "vllm_gpu_memory_utilization"
    asked = setup.settings.sources.get(name, "dialect") != "dialect"
    return float(setup.settings.grpo[name]) if asked else SHARE
