"""Tiny models of the families that people train, with the chat templates that TRL ships, made on the spot."""
# ruff: noqa: RUF001  # DeepSeek's tokens are spelt with a fullwidth bar

import importlib.resources
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
import transformers
from peft import LoraConfig, get_peft_model
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
from transformers import PreTrainedTokenizerFast

CONTEXT = 8192


@dataclass(frozen=True)
class Family:
    """What is its own about a family; the special tokens are those of the real one."""

    config: str
    template: str
    """The name of a template that TRL ships, or for one of `OTHERS` the template itself."""
    eos: str
    pad: str | None
    bos: str | None = None
    specials: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    """Tokens of one piece that are no special ones, so that decoding keeps them."""
    more_ends: tuple[str, ...] = ()
    """What ends a turn too, as the family's generation config says."""
    attention: tuple[tuple[str, Any], ...] = ()


_CALLS = ("<tool_call>", "</tool_call>")
_THOUGHTS = ("<think>", "</think>")
_DEEPSEEK_CALLS = tuple(
    f"<｜tool▁{name}｜>"
    for name in (
        "calls▁begin", "calls▁end", "call▁begin", "call▁end", "outputs▁begin", "outputs▁end", "output▁begin",
        "output▁end", "sep",
    )
)  # fmt: skip
FAMILIES = {
    "qwen3": Family(
        "Qwen3Config", "qwen3", "<|im_end|>", "<|endoftext|>", specials=("<|im_start|>",),
        added=(*_CALLS, "<tool_response>", "</tool_response>", *_THOUGHTS), more_ends=("<|endoftext|>",),
    ),
    "qwen2.5": Family(
        "Qwen2Config", "qwen2_5", "<|im_end|>", "<|endoftext|>", specials=("<|im_start|>",), added=_CALLS,
        more_ends=("<|endoftext|>",),
    ),
    "llama3.2": Family(
        "LlamaConfig", "llama3_2", "<|eot_id|>", None, bos="<|begin_of_text|>",
        specials=("<|start_header_id|>", "<|end_header_id|>", "<|python_tag|>"),
        more_ends=("<|end_of_text|>", "<|eom_id|>"),
    ),
    "gemma3": Family(
        "Gemma3TextConfig", "gemma3", "<eos>", "<pad>", bos="<bos>", specials=("<start_of_turn>",),
        more_ends=("<end_of_turn>",),
        attention=(("sliding_window", 64), ("layer_types", ["sliding_attention", "full_attention"])),
    ),
    "deepseek-r1-distill": Family(
        "Qwen2Config", "deepseek_r1_distill", "<｜end▁of▁sentence｜>", "<｜end▁of▁sentence｜>",
        bos="<｜begin▁of▁sentence｜>", added=("<｜User｜>", "<｜Assistant｜>", *_THOUGHTS, *_DEEPSEEK_CALLS),
    ),
}  # fmt: skip
OTHERS = {
    "llama2": Family(
        "LlamaConfig",
        "{{ bos_token }}{% for m in messages %}{% if m.role == 'user' %}[INST] {{ m.content }} [/INST]"
        "{% elif m.role == 'assistant' %} {{ m.content }} {{ eos_token }}"
        "{% else %}{{ raise_exception('Only user and assistant roles are supported!') }}{% endif %}{% endfor %}",
        "</s>", None, bos="<s>",
    ),
}  # fmt: skip
"""Families whose templates TRL does not ship, as text; they are no part of what is tried with every family."""


def tiny_model(family: str, seed: int = 0) -> tuple[Any, Any]:
    """A model of some 20,000 parameters that knows nothing, and its tokenizer: bytes, and the special tokens."""
    tokenizer = tiny_tokenizer(family)
    made = (FAMILIES | OTHERS)[family]
    config = getattr(transformers, made.config)(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, head_dim=16, max_position_embeddings=CONTEXT, tie_word_embeddings=True,
        bos_token_id=tokenizer.bos_token_id, eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id,
        initializer_range=0.2,  # so that it says this rather than that, and an answer can be told from another
        **dict(made.attention),
    )  # fmt: skip
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model = transformers.AutoModelForCausalLM.from_config(config)
    ends = tokenizer.convert_tokens_to_ids([made.eos, *made.more_ends])
    model.generation_config.eos_token_id = ends if made.more_ends else ends[0]
    return model.eval(), tokenizer


def save_tiny_model(family: str, folder: Path, seed: int = 0) -> Path:
    """A folder as `save_pretrained` leaves it, weights and tokenizer."""
    model, tokenizer = tiny_model(family, seed)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def without_weights(folder: Path, part: str) -> None:
    """Take the weights whose names have this part out of the file of a model."""
    from safetensors.torch import load_file, save_file

    path = folder / "model.safetensors"
    kept = {name: weight for name, weight in load_file(path).items() if part not in name}
    save_file(kept, path, metadata={"format": "pt"})


def tiny_reward_model(labels: int = 1, seed: int = 2) -> tuple[Any, Any]:
    """A sequence classifier of the family qwen3 with random weights, and its tokenizer."""
    model, tokenizer = tiny_model("qwen3")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        model.config.num_labels = labels
        return transformers.AutoModelForSequenceClassification.from_config(model.config).eval(), tokenizer


def save_tiny_reward_model(folder: Path, labels: int = 1, seed: int = 2) -> Path:
    """The folder of such a reward model, with its tokenizer."""
    for part in tiny_reward_model(labels, seed):
        part.save_pretrained(folder)
    return folder


def save_tiny_adapter(base: Path, folder: Path, seed: int = 1) -> Path:
    """A LoRA adapter of the model in `base`, with weights that do something, as peft saves it."""
    model = transformers.AutoModelForCausalLM.from_pretrained(base)
    lora = LoraConfig(r=4, target_modules="all-linear", init_lora_weights=False, task_type="CAUSAL_LM")
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        get_peft_model(model, lora).save_pretrained(folder)
    return folder


def save_training(folder: Path, training: dict[str, Any], **manifest: Any) -> Path:
    """The folder of a training as far as its manifest goes; a model goes into `model/`."""
    folder.mkdir(parents=True)
    told = {"format": "run-v1", "env": "hotel-v1", "config": {}, "training": training, **manifest}
    (folder / "manifest.json").write_text(json.dumps(told), encoding="utf-8")
    return folder


def tiny_tokenizer(family: str) -> Any:
    """A tokenizer of bytes with the special tokens and the chat template of a family."""
    made = (FAMILIES | OTHERS)[family]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    core = Tokenizer(models.BPE(vocab={letter: place for place, letter in enumerate(alphabet)}, merges=[]))
    core.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    core.decoder = decoders.ByteLevel()
    core.add_special_tokens([*filter(None, (made.pad, made.bos)), made.eos, *made.specials, *made.more_ends])
    core.add_tokens(list(made.added))
    if made.bos:  # plain text gets it, as from the real ones; a chat template writes its own
        core.post_processor = processors.TemplateProcessing(
            single=f"{made.bos} $A", special_tokens=[(made.bos, core.token_to_id(made.bos))]
        )
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=core, eos_token=made.eos, pad_token=made.pad, bos_token=made.bos,
        additional_special_tokens=list(dict.fromkeys((*made.specials, *made.more_ends))),
        model_max_length=CONTEXT, clean_up_tokenization_spaces=False,
    )  # fmt: skip
    templates = importlib.resources.files("trl") / "chat_templates"
    shipped = family in FAMILIES
    tokenizer.chat_template = (
        (templates / f"{made.template}.jinja").read_text(encoding="utf-8") if shipped else made.template
    )
    return tokenizer
