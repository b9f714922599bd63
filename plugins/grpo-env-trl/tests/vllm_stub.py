"""A vLLM server on loopback, as far as a training needs one: it samples from a real tiny model that it holds.

with VLLMStub(model) as server:            # sampled at temperature 1, by the seed of each request
    server.plays(error(500), server.samples)   # one behaviour for each turn that is asked for; the last one stays
"""

import copy
import json
from types import SimpleNamespace
from typing import Any

import torch
from aiohttp import web
from peft import PeftModel
from safetensors.torch import load_file
from scripted import StandIn

from tests.stub_server import Asked, Behaviour, StubServer, error


class VLLMStub(StubServer):
    """Answers /v1/completions by its script, and what else a training asks as vLLM does in dev mode."""

    def __init__(self, model: Any, *script: Behaviour, context: int = 512, tokenizer: Any = None) -> None:
        super().__init__(*(script or (self.samples,)))
        self.model, self.tokenizer = model, tokenizer
        self.context = context
        self.settings = {
            "instance_id": "first", "weight_transfer_config": {"backend": "nccl"},
            "model_config": {"logprobs_mode": "processed_logprobs"}, "lora_config": None,
            "parallel_config": {"data_parallel_size": 1},
        }  # fmt: skip
        self.adapters: dict[str, Any] = {}
        """The model with each adapter that was loaded, by name."""
        self.loaded: list[str] = []
        self.paths: list[str] = []
        self.refused: set[str] = set()
        """Paths that are answered with an error."""
        self.refusal = 503

    @property
    def base(self) -> str:
        """What to give as `--vllm-server-url`."""
        return self.url.removesuffix("/v1")

    async def answers(self, request: web.Request) -> web.StreamResponse | None:
        """What this path says without a script."""
        self.paths.append(request.path)
        if request.path in self.refused:
            return web.Response(status=self.refusal, text="no memory for weights")
        if request.path == "/v1/models":
            known = [{"id": "tiny", "max_model_len": self.context}, *({"id": name} for name in self.adapters)]
            return web.json_response({"data": known})
        if request.path.endswith("lora_adapter") and (self.settings or {}).get("lora_config"):
            return self._adapter(request.path, await request.json())
        if request.path == "/tokenize" and self.tokenizer:
            text = (await request.json())["prompt"]
            return web.json_response({"tokens": self.tokenizer(text, add_special_tokens=False)["input_ids"]})
        if request.path == "/server_info" and self.settings is None:
            return web.json_response({"detail": "Not Found"}, status=404)
        if request.path == "/server_info":
            return web.json_response({"vllm_config": self.settings})
        if request.path == "/collective_rpc":
            folder = (await request.json())["kwargs"]["weights_path"]
            self.model.load_state_dict(load_file(f"{folder}/model.safetensors"), strict=False)  # without tied ones
        if request.path in ("/health", "/reset_prefix_cache", "/collective_rpc", "/pause", "/resume"):
            return web.json_response({"success": True})
        return None

    def _adapter(self, path: str, asked: dict[str, str]) -> web.Response:
        """Load or unload an adapter under a name, which may be taken only once, as with vLLM."""
        name = asked.get("lora_name", "")
        known = name in self.adapters
        if not name or known != path.endswith("unload_lora_adapter"):
            return web.json_response({"message": f"The lora adapter '{name}' cannot be {path}"}, status=400)
        if known:
            del self.adapters[name]
        else:
            self.loaded.append(name)
            self.adapters[name] = PeftModel.from_pretrained(copy.deepcopy(self.model), asked["lora_path"]).eval()
        return web.Response(text="Success")

    def drawn(
        self, prompt: list[int], most: int, seed: int | None, ends: list[int], name: str = "tiny"
    ) -> tuple[list[int], list[float]]:
        """The tokens of a turn, with log-probabilities."""
        return sampled(self.adapters.get(name, self.model), prompt, most, seed, ends)

    async def samples(self, asked: Asked) -> web.StreamResponse:
        """One completion, as vLLM has it."""
        body = asked.json
        prompt, most = body["prompt"], body["max_tokens"]
        if len(prompt) + most > self.context:
            return await error(400, f"This model's maximum context length is {self.context} tokens.")(asked)
        seed = None if body.get("temperature") == 0 else body.get("seed", 0)
        name = body["model"]
        if name != "tiny" and name not in self.adapters:
            return await error(404, f"The model `{name}` does not exist.")(asked)
        ids, logprobs = self.drawn(prompt, most, seed, body.get("stop_token_ids", []), name)
        finish = "stop" if len(ids) < most else "length"
        choice = {
            "index": 0, "text": "", "finish_reason": finish, "token_ids": ids, "prompt_token_ids": prompt,
            "logprobs": {"token_logprobs": logprobs},
        }  # fmt: skip
        return web.Response(text=json.dumps({"choices": [choice]}), content_type="application/json")


@torch.no_grad()
def sampled(
    model: Any, prompt: list[int], most: int, seed: int | None, ends: list[int]
) -> tuple[list[int], list[float]]:
    """Tokens drawn from the model's own distribution, or the likeliest without a seed, with log-probabilities."""
    generator = torch.Generator().manual_seed(seed or 0)
    ids: list[int] = []
    logprobs: list[float] = []
    while len(ids) < most and not (ids and ids[-1] in ends):
        scores = model(torch.tensor([[*prompt, *ids]])).logits[0, -1].log_softmax(-1)
        drawn = scores.argmax() if seed is None else torch.multinomial(scores.exp(), 1, generator=generator)
        ids.append(int(drawn))
        logprobs.append(float(scores[ids[-1]]))
    return ids, logprobs


class OnServer(StandIn):
    """What a trainer has in TRL's server mode."""

    use_vllm, vllm_mode = True, "server"

    def __init__(self, model, tokenizer, url, most=200, patience=30.0):
        super().__init__(model, tokenizer, None, most)
        self.args = SimpleNamespace(seed=0, vllm_server_base_url=url)
        self.vllm_generation = Generation(patience)


class Generation:
    """TRL's object for vLLM, without weights to send."""

    temperature, top_p, top_k, min_p, repetition_penalty = 1.0, 1.0, 0, None, 1.0
    structured_outputs_regex, max_model_length, group_port, vllm_client = None, None, 51216, None

    def __init__(self, patience):
        self.server_timeout = patience
        self.generation_kwargs = {}

    def sync_weights(self):
        """Send nothing."""
