"""A model of the sizes of Qwen3-0.6B with random weights: as costly as the real one, and made without a hub."""

import json
import runpy
from pathlib import Path
from typing import Any

from tests.benchmarks.batches import PLUGIN_TESTS

VOCABULARY = 151936
ENDS = 1500
"""So many tokens end a turn, as random weights would hardly ever sample a single one: 100 tokens a turn in the mean."""
SIZES = {"hidden_size": 1024, "intermediate_size": 3072, "num_hidden_layers": 28, "head_dim": 128,
         "num_attention_heads": 16, "num_key_value_heads": 8}  # fmt: skip


def save_gpu_model(folder: Path, **sizes: int) -> Path:
    """A folder with weights in bfloat16 and a tokenizer; its output layer is its own, or it would repeat its input."""
    import torch
    from transformers import AutoModelForCausalLM, Qwen3Config

    tokenizer = _tokenizer()
    torch.manual_seed(0)
    config = Qwen3Config(
        vocab_size=VOCABULARY, max_position_embeddings=8192, tie_word_embeddings=False, initializer_range=0.05,
        eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id, dtype="bfloat16", **(SIZES | sizes),
    )  # fmt: skip
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = AutoModelForCausalLM.from_config(config, dtype=torch.bfloat16)  # type: ignore[no-untyped-call]
    model.generation_config.eos_token_id = [tokenizer.eos_token_id, *range(VOCABULARY - ENDS, VOCABULARY)]
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _tokenizer() -> Any:
    """The tokenizer of bytes, with as many pieces as the real one has."""
    from tokenizers import Tokenizer

    tokenizer = runpy.run_path(str(PLUGIN_TESTS / "tiny_models.py"))["tiny_tokenizer"]("qwen3")
    made = json.loads(tokenizer.backend_tokenizer.to_str())
    made["model"]["vocab"] |= {f"w{number}": number for number in range(len(tokenizer), VOCABULARY)}
    tokenizer._tokenizer = Tokenizer.from_str(json.dumps(made))
    return tokenizer
