"""Whether the model can be trained: it is whole, writes text and stops, and its reference model can be loaded."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from grpo_env_sdk.ext import UsageError, command_line, did_you_mean, one_line
from grpo_env_trl.models.hub import fetch
from grpo_env_trl.models.loading import check_weights
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.settings.field_names import flag_of
from grpo_env_trl.tokens.rendering import name_of
from grpo_env_trl.tokens.tokenizers import end_ids

_SAMPLED, _TOKENS_ALONE = "Answers are sampled: leave it out.", "Only the tokens are read: leave it out."
_NOT_IN_TRAINING = {
    "num_return_sequences": "Use --num-generations.",
    "max_new_tokens": "Use --max-completion-length, or --max-turn-tokens for each turn.",
    "max_length": "Use --max-completion-length, or --max-turn-tokens for each turn.",
    **{name: f"Use {flag_of(name)}." for name in ("temperature", "top_p", "top_k", "min_p", "repetition_penalty")},
    **dict.fromkeys(("do_sample", "num_beams", "num_beam_groups", "constraints", "force_words_ids"), _SAMPLED),
    **dict.fromkeys(("output_scores", "output_logits", "output_attentions", "output_hidden_states"), _TOKENS_ALONE),
    "return_dict_in_generate": _TOKENS_ALONE,
    "stop_strings": "Let the environment end the episode, or give the token that ends a turn in eos_token_id.",
}
"""Names of `generation_kwargs` that have flags of their own or would break the training, and what to do."""
_AS_EVER = {"do_sample": True, "num_beams": 1}


def problems(planned: PlannedTraining) -> Iterator[Problem]:
    """Problems that the config of the model shows."""
    yield from _reference(planned)
    yield from _second_adapter(planned)
    yield from _loading(planned)
    yield from _generating(planned)
    if planned.config is not None and planned.has_text_tokenizer:
        yield from _ends(planned)
    if planned.source is not None and Path(planned.source.path).is_dir():  # the hub's would be downloaded first
        check_weights(planned.source, trust_remote_code=planned.setup.trusts_code)


def _reference(planned: PlannedTraining) -> Iterator[Problem]:
    """TRL loads the reference model by the name or folder of the trained model."""
    setup = planned.setup
    beta = setup.args.beta
    if not beta or setup.model_args.use_peft or setup.settings.model is not None:
        return
    where = "" if setup.demo else str(getattr(planned.config, "_name_or_path", ""))
    if where and (Path(where).is_dir() or fetch(where, "config.json")):
        return
    what = "the demo model is not on disk" if setup.demo else "this model was not loaded from disk"
    yield Problem(
        f"beta {beta:g} needs a reference model, and there is none to load: {what}.",
        "Use --beta 0 (--rl-kl-coef 0), or --peft, which needs no second model.",
    )


def _second_adapter(planned: PlannedTraining) -> Iterator[Problem]:
    """A new adapter is trained on the model with the earlier one, and saved for the model without it."""
    source = planned.setup.source
    if source is None or not source.adapter or not planned.setup.model_args.use_peft:
        return
    merge = "Save the merged model (merge_and_unload of peft)"
    if source.run is not None:
        merge = f"Merge it first: {command_line('export', source.run.path, '--merge', '--out', 'DIR')}"
    yield Problem(
        f"{source.name!r} is an adapter, and the one that --peft adds would be saved without it.",
        f"{merge}, and train that: --model DIR --peft. Without --peft it is merged, and all weights are trained.",
    )


def _loading(planned: PlannedTraining) -> Iterator[Problem]:
    """The old name of `dtype` is left aside by transformers, as TRL names a dtype too."""
    if "torch_dtype" in (planned.setup.args.model_init_kwargs or {}):
        yield Problem("model_init_kwargs has 'torch_dtype', which would have no effect.", "Its name is now 'dtype'.")


def _generating(planned: PlannedTraining) -> Iterator[Problem]:
    """`generation_kwargs` that nobody would read, or that break a training; vLLM says so itself."""
    from transformers import GenerationConfig

    args = planned.setup.args
    if args.use_vllm or not args.generation_kwargs:
        return
    known = vars(GenerationConfig())  # type: ignore[no-untyped-call]  # of transformers
    for name, value in args.generation_kwargs.items():
        if name not in known:
            hint = did_you_mean(name, known) or "The fields of transformers' GenerationConfig have an effect."
            yield Problem(f"generation_kwargs has {name!r}, which would have no effect.", hint)
        elif name in _NOT_IN_TRAINING and value != _AS_EVER.get(name):
            yield Problem(f"generation_kwargs has {name!r}, which does not go with training.", _NOT_IN_TRAINING[name])


def _ends(planned: PlannedTraining) -> Iterator[Problem]:
    """The generation config may stop at another token than the one that ends a turn in the chat template."""
    tokenizer = planned.setup.tokenizer
    if tokenizer.eos_token_id is None:
        yield Problem(
            f"The tokenizer of {name_of(tokenizer)} has no EOS token, so no answer would end.",
            "Set tokenizer.eos_token to the token that ends a turn.",
        )
        return
    stops = {tokenizer.eos_token_id, *_stops(planned)}
    if tokenizer.chat_template and not planned.renderer.eos_ids <= stops:
        written = tokenizer.convert_ids_to_tokens(sorted(planned.renderer.eos_ids - stops))
        yield Problem(
            f"The chat template ends a turn with {written[0]}, but the generation config of the model does not stop "
            "there: answers would not end.",
            f"Add {min(planned.renderer.eos_ids - stops)} to eos_token_id in its generation_config.json.",
            fatal=False,
        )


def _stops(planned: PlannedTraining) -> list[int]:
    """The tokens at which the model stops."""
    held = getattr(planned.setup.model, "generation_config", None)
    if held is None:
        source = planned.source
        path = fetch(source.path, "generation_config.json", source.revision) if source else None
        ends = (_read(path) if path else {}).get("eos_token_id", getattr(planned.config, "eos_token_id", None))
    else:
        ends = held.eos_token_id
    return end_ids(ends)


def _read(path: Path) -> dict[str, Any]:
    """The object in a JSON file of the model."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as exc:
        raise UsageError(
            f"{path} cannot be read: {one_line(exc).rstrip('.')}.", "Was a download or a copy interrupted?"
        ) from exc
    if not isinstance(found, dict):
        raise UsageError(f"{path} has no JSON object.", "Was a download or a copy interrupted?")
    return found
