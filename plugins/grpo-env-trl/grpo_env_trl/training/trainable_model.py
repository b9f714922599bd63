"""The model in the form that TRL needs: a name that it loads itself, or a loaded model."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from grpo_env_trl import ranks
from grpo_env_trl.export.folder import save_merged
from grpo_env_trl.models.loading import open_model
from grpo_env_trl.setup.preparing import TrainingSetup


def trainable_model(setup: TrainingSetup, args: Any) -> dict[str, Any]:
    """`model` and `peft_config` for `GRPOTrainer`; the arguments for loading go into `args`."""
    from trl import get_peft_config

    given: dict[str, Any] = {"peft_config": get_peft_config(setup.model_args)}
    if setup.model is not None:
        return {"model": setup.model, **given}
    source = setup.source
    assert source is not None
    if source.adapter:  # an adapter is merged before training continues
        opened = open_model(source, dtype=setup.model_args.dtype)
        return {"model": opened.model.merge_and_unload().requires_grad_(True), **given}
    args.model_init_kwargs = {**_loading(setup.model_args), **(args.model_init_kwargs or {})}
    return {"model": source.path, **given}


@contextmanager
def loadable_model(setup: TrainingSetup, args: Any) -> Iterator[dict[str, Any]]:
    """The same for a trainer that loads every model itself; the merged model of an adapter is on disk meanwhile."""
    source = setup.source
    if source is None or not source.adapter:
        yield trainable_model(setup, args)
        return
    folder = setup.folder / ".merged"

    def saved() -> str:
        shutil.rmtree(folder, ignore_errors=True)  # left by a crash
        save_merged(source, folder)
        return str(folder.absolute())

    try:
        loading = {name: value for name, value in _loading(setup.model_args).items() if name != "revision"}
        args.model_init_kwargs = {**loading, **(args.model_init_kwargs or {})}
        yield {"model": ranks.from_first(saved), "peft_config": None}
        ranks.wait_for_all()
    finally:
        if ranks.is_first():
            shutil.rmtree(folder, ignore_errors=True)


def _loading(model_args: Any) -> dict[str, Any]:
    """The arguments of `from_pretrained`."""
    import torch
    from accelerate import PartialState
    from trl import get_quantization_config

    dtype = model_args.dtype if model_args.dtype in ("auto", None) else getattr(torch, model_args.dtype)
    named = {
        "dtype": dtype,
        "revision": model_args.model_revision,
        "attn_implementation": model_args.attn_implementation,
    }
    quantization = get_quantization_config(model_args)
    if quantization is not None:
        named |= {"quantization_config": quantization, "device_map": {"": PartialState().local_process_index}}
    return {name: value for name, value in named.items() if value is not None}
