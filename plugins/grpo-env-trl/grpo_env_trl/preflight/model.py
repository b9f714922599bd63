"""Whether the model can be trained: it writes text, it stops, and its reference can be loaded."""

import json
from collections.abc import Iterator
from pathlib import Path

from grpo_env_trl.models.hub import fetch
from grpo_env_trl.preflight.planned_training import PlannedTraining
from grpo_env_trl.preflight.problem import Problem
from grpo_env_trl.tokens.rendering import name_of


def problems(subject: PlannedTraining) -> Iterator[Problem]:
    """What is wrong with the model, as far as its config tells."""
    yield from _reference(subject)
    if subject.config is not None and subject.has_text_tokenizer:
        yield from _ends(subject)


def _reference(subject: PlannedTraining) -> Iterator[Problem]:
    """TRL loads the model that `beta` compares with by the name or folder of the one that is trained."""
    prepared = subject.prepared
    beta = prepared.args.beta
    if not beta or prepared.model_args.use_peft or prepared.settings.model is not None:
        return
    where = "" if prepared.demo else str(getattr(subject.config, "_name_or_path", ""))
    if where and (Path(where).is_dir() or fetch(where, "config.json")):
        return
    what = "the demo model is made on the spot" if prepared.demo else "this model was loaded from nowhere on disk"
    yield Problem(
        f"beta {beta:g} compares with a reference model, and there is none to load: {what}.",
        "Take --beta 0 (--rl-kl-coef 0), or --peft, which needs no second model.",
    )


def _ends(subject: PlannedTraining) -> Iterator[Problem]:
    """Generation stops where the model's own configuration says, which may know another token than its template."""
    tokenizer = subject.prepared.tokenizer
    if tokenizer.eos_token_id is None:
        yield Problem(
            f"The tokenizer of {name_of(tokenizer)} has no EOS token, so no answer would ever end.",
            "Set tokenizer.eos_token to what ends a turn.",
        )
        return
    stops = {tokenizer.eos_token_id, *_stops(subject)}
    if tokenizer.chat_template and not subject.renderer.eos_ids <= stops:
        written = tokenizer.convert_ids_to_tokens(sorted(subject.renderer.eos_ids - stops))
        yield Problem(
            f"The chat template ends a turn with {written[0]}, at which the model's generation config does not stop: "
            "answers would run on.",
            f"Add {min(subject.renderer.eos_ids - stops)} to eos_token_id in its generation_config.json.",
            fatal=False,
        )


def _stops(subject: PlannedTraining) -> list[int]:
    """The tokens at which the model stops."""
    held = getattr(subject.prepared.model, "generation_config", None)
    if held is None:
        source = subject.source
        path = fetch(source.path, "generation_config.json", source.revision) if source else None
        told = json.loads(path.read_text(encoding="utf-8")) if path else {}
        ends = told.get("eos_token_id", getattr(subject.config, "eos_token_id", None))
    else:
        ends = held.eos_token_id
    return ends if isinstance(ends, list) else [] if ends is None else [ends]
