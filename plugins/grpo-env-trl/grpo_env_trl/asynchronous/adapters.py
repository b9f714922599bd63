"""The adapter of an asynchronous training on its vLLM server, where every version of it has a name of its own."""

from typing import Any

from transformers import TrainerCallback

from grpo_env_trl.settings.servers import base_url
from grpo_env_trl.trl_async import ADAPTER
from grpo_env_trl.writers.vllm_servers import Served, look_at, posted


def adapter_of(version: int) -> str:
    """The name of the adapter with these weights."""
    return f"{ADAPTER}{version}"


def newest_adapter(served: Served) -> str:
    """The adapter that the trainer loaded last; empty where it sends weights."""
    versions = [name.removeprefix(ADAPTER) for name in _of_trainings(served)]
    return adapter_of(max(map(int, versions))) if versions else ""


class NoEarlierAdapters(TrainerCallback):
    """Unloads what an earlier training left on the server: the names begin anew, and none may be there twice."""

    def on_train_begin(self, args: Any, state: Any, control: Any, **kwargs: Any) -> None:
        """Before TRL's own callback, which loads the first version."""
        if state.is_world_process_zero:
            url = base_url(args.vllm_server_base_url)
            for name in _of_trainings(look_at(url)):
                posted(f"{url}/v1/unload_lora_adapter", {"lora_name": name})


def _of_trainings(served: Served) -> list[str]:
    return [name for name in served.adapters if name.startswith(ADAPTER) and name.removeprefix(ADAPTER).isdecimal()]
