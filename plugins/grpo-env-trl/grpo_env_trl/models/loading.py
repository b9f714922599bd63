"""From a name to a loaded model and its tokenizer."""

import sys
import warnings
from dataclasses import dataclass
from importlib.util import find_spec
from logging import ERROR
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, one_line
from grpo_env_trl.models.hub import fetch, hub_answers
from grpo_env_trl.models.source import ModelSource, base_of, find_model, find_tokenizer
from grpo_env_trl.tokens.tokenizers import is_processor

_TOKENIZER_FILES = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model")
_PROCESSOR = "processor_config.json"
_VISION = {"pillow": "PIL", "torchvision": "torchvision"}
"""What processors may need and transformers does not bring, by the name that pip knows."""


@dataclass
class OpenedModel:
    """A loaded model and its tokenizer."""

    model: Any
    tokenizer: Any


def open_model(
    name: str | ModelSource,
    *,
    revision: str | None = None,
    dtype: Any = None,
    device: Any = None,
    trust_remote_code: bool = False,
) -> OpenedModel:
    """The model, in eval mode on the best device of this machine, and its tokenizer.

    Args:
        name: A hub id, a folder with a model or a PEFT adapter, a run of `grpo-env train`, or a `ModelSource`.
        dtype: The default is bfloat16 or float16 on a GPU and float32 on a CPU; "auto" is the dtype of the file.
    """
    import torch

    source = find_model(name, revision=revision) if isinstance(name, str) else name
    base = base_of(source) if source.adapter else source
    check_writes(base, trust_remote_code=trust_remote_code)
    tokenizer = open_tokenizer(source, trust_remote_code=trust_remote_code)
    chosen = torch.device(device) if device is not None else _best_device()
    model = _loaded(base, best_dtype(chosen) if dtype is None else dtype, trust_remote_code)
    if source.adapter:
        model = _with_adapter(model, source)
    model.generation_config.pad_token_id = tokenizer.pad_token_id
    return OpenedModel(model.to(chosen).eval(), tokenizer)


def open_tokenizer(name: str | ModelSource, *, revision: str | None = None, trust_remote_code: bool = False) -> Any:
    """The tokenizer of a model, padding on the left; that of the base model where an adapter has none of its own."""
    from transformers import AutoTokenizer

    source = find_tokenizer(name, revision=revision) if isinstance(name, str) else name
    has_one = any(fetch(source.path, file, source.revision) for file in _TOKENIZER_FILES)
    if source.adapter and not has_one:
        return open_tokenizer(base_of(source), trust_remote_code=trust_remote_code)
    try:
        if not has_one:  # transformers would create one without a vocabulary
            raise OSError(f"there is none of {', '.join(_TOKENIZER_FILES)}")
        tokenizer = AutoTokenizer.from_pretrained(
            source.path, padding_side="left", trust_remote_code=trust_remote_code, **from_where(source)
        )
    except Exception as exc:  # of transformers, or of a repository's own code
        raise UsageError(
            f"The tokenizer of {source.name!r} cannot be loaded: {one_line(exc).rstrip('.')}.",
            "Save it with the model: tokenizer.save_pretrained(FOLDER).",
        ) from exc
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return tokenizer


def open_processor(source: ModelSource, *, trust_remote_code: bool = False) -> Any:
    """The processor of a vision model: its tokenizer with what turns images into pixels; a `UsageError` for others."""
    from transformers import AutoProcessor

    base = base_of(source) if source.adapter else source
    read = source if fetch(source.path, _PROCESSOR, source.revision) else base
    if not sees(config_of(base, trust_remote_code=trust_remote_code)):
        raise UsageError(
            f"{source.name!r} cannot see images, and this environment shows some.",
            "Use a vision model, such as Qwen/Qwen2.5-VL-3B-Instruct.",
        )
    try:
        processor = AutoProcessor.from_pretrained(  # type: ignore[no-untyped-call]  # of transformers
            read.path, trust_remote_code=trust_remote_code, **from_where(read)
        )
    except Exception as exc:  # of transformers, or of a repository's own code
        missing = [name for name, module in _VISION.items() if find_spec(module) is None]
        raise UsageError(
            f"The processor of {source.name!r} cannot be loaded: {one_line(exc).rstrip('.')}.",
            f"pip install {' '.join(missing)}" if missing else "Save it: processor.save_pretrained(FOLDER).",
        ) from exc
    if not is_processor(processor):
        raise UsageError(
            f"{source.name!r} has no image processor, so it cannot see images.",
            "Save it with the model: processor.save_pretrained(FOLDER).",
        )
    tokenizer = processor.tokenizer
    tokenizer.padding_side = "left"
    if tokenizer.pad_token is None:
        tokenizer.pad_token = tokenizer.eos_token
    return processor


def sees(config: Any) -> bool:
    """Whether the model of a config reads images."""
    return hasattr(config, "vision_config")


def model_class(config: Any) -> Any:
    """The class of transformers that loads the model of a config."""
    from transformers import AutoModelForCausalLM, AutoModelForImageTextToText

    return AutoModelForImageTextToText if sees(config) else AutoModelForCausalLM


def config_of(source: ModelSource, *, trust_remote_code: bool = False) -> Any:
    """The config of a model."""
    from transformers import AutoConfig

    try:
        return AutoConfig.from_pretrained(source.path, trust_remote_code=trust_remote_code, **from_where(source))
    except Exception as exc:  # of transformers, or of a repository's own code
        raise UsageError(
            f"The config of {source.name!r} cannot be read: {one_line(exc).rstrip('.')}.",
            "Is it a model for transformers, and is the installed transformers new enough for it?",
        ) from exc


def generation_config_of(source: ModelSource) -> Any:
    """How a model samples and ends, as its files say."""
    from transformers import GenerationConfig

    try:
        return GenerationConfig.from_pretrained(source.path, **from_where(source))
    except OSError:  # it has no such file
        return GenerationConfig.from_model_config(config_of(source))


def check_writes(source: ModelSource, *, trust_remote_code: bool = False) -> None:
    """Raise where the config is not that of a causal language model, with or without eyes."""
    from transformers.models.auto import modeling_auto as known_models

    config = config_of(source, trust_remote_code=trust_remote_code)
    made_for = (getattr(config, "architectures", None) or [None])[0]
    task = "IMAGE_TEXT_TO_TEXT" if sees(config) else "CAUSAL_LM"
    names = getattr(known_models, f"MODEL_FOR_{task}_MAPPING_NAMES").values()
    known = made_for in names if made_for else type(config) in getattr(known_models, f"MODEL_FOR_{task}_MAPPING")
    own_code = "AutoModelForCausalLM" in (getattr(config, "auto_map", None) or {})
    if getattr(config, "is_encoder_decoder", False) or not (known or own_code):
        raise UsageError(
            f"{source.name!r} is a {made_for or type(config).__name__}, which is not a causal language model.",
            "Use one that generates text, such as Qwen/Qwen3-0.6B.",
        )


def _loaded(source: ModelSource, dtype: Any, trust_remote_code: bool) -> Any:
    from transformers.utils import logging

    if not sys.stderr.isatty():
        logging.disable_progress_bar()  # type: ignore[no-untyped-call]  # transformers gives it no types
    try:
        model, info = model_class(config_of(source, trust_remote_code=trust_remote_code)).from_pretrained(
            source.path, dtype=dtype, trust_remote_code=trust_remote_code, output_loading_info=True,
            **from_where(source),
        )  # fmt: skip
    except Exception as exc:  # of transformers, safetensors, or a repository's own code
        raise _unloadable("The weights", source, exc) from exc
    check_whole(source, info)
    return model


def check_weights(source: ModelSource, *, trust_remote_code: bool = False) -> None:
    """Raise where the files of a model have not all of its weights; reads their names only.

    What cannot be told without loading them is left to whoever loads them.
    """
    from transformers.utils import logging

    level = logging.get_verbosity()
    logging.set_verbosity(ERROR)  # its table of what is missing
    try:
        _, info = model_class(config_of(source, trust_remote_code=trust_remote_code)).from_pretrained(
            source.path, device_map="meta", trust_remote_code=trust_remote_code, output_loading_info=True,
            **from_where(source),
        )  # fmt: skip
    except Exception:  # of transformers, safetensors, or a repository's own code
        return
    finally:
        logging.set_verbosity(level)
    check_whole(source, info)


def check_whole(source: ModelSource, info: dict[str, Any]) -> None:
    """Raise where transformers made up weights: it says so in a table, and goes on."""
    if missing := sorted(info["missing_keys"]):
        others = f" and {len(missing) - 1} more" if missing[1:] else ""
        raise UsageError(
            f"The files in {source.path!r} have no weights {missing[0]}{others}, which would be random.",
            "Was a download or a copy interrupted? Then download it again.",
        )


def _with_adapter(model: Any, source: ModelSource) -> Any:
    from peft import PeftModel

    try:
        with warnings.catch_warnings():  # peft uses a name that transformers deprecated
            warnings.filterwarnings("ignore", "`is_gradient_checkpointing`", FutureWarning)
            return PeftModel.from_pretrained(model, source.path, **from_where(source))
    except Exception as exc:  # of peft or safetensors
        raise _unloadable("The adapter", source, exc) from exc


def from_where(source: ModelSource) -> dict[str, Any]:
    """Arguments of `from_pretrained` that keep it from calling a hub that does not answer."""
    if Path(source.path).is_dir():
        return {"local_files_only": True}
    return {"revision": source.revision or "main", "local_files_only": not hub_answers()}


def _unloadable(what: str, source: ModelSource, exc: Exception) -> UsageError:
    return UsageError(
        f"{what} in {source.path!r} cannot be loaded: {type(exc).__name__}: {one_line(exc).rstrip('.')}.",
        "Was a download or a copy interrupted? Then download it again.",
    )


def _best_device() -> Any:
    import torch

    if torch.cuda.is_available():
        return torch.device("cuda")
    return torch.device("mps" if torch.backends.mps.is_available() else "cpu")


def best_dtype(device: Any = None) -> Any:
    """The dtype that is fast on a device, by default the best one; a CPU is slow with anything but float32."""
    import torch

    device = device or _best_device()
    if device.type == "cuda":
        return torch.bfloat16 if torch.cuda.is_bf16_supported(including_emulation=False) else torch.float16
    return torch.float32 if device.type == "cpu" else torch.float16
