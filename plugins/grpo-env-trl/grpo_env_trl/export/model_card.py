"""The model card: what the model was trained on, its scores, and how to load it."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

import yaml

from grpo_env_sdk import Run
from grpo_env_sdk.ext import RESUME_WITH, heldout_notes, heldout_rows, missing_rows, name_in_run
from grpo_env_trl.models.source import is_hub_id

_SETTINGS = (
    "learning_rate", "max_steps", "num_train_epochs", "per_device_train_batch_size", "gradient_accumulation_steps",
    "num_generations", "max_completion_length", "max_turn_tokens", "temperature", "top_p", "top_k", "beta", "loss_type",
    "use_peft", "lora_r", "lora_alpha", "seed",
)  # fmt: skip


def model_card(
    run: Run, *, adapter: bool, checkpoint: int | None = None, where: str = "FOLDER",
    summary: Mapping[str, Any] | None = None,
) -> str:  # fmt: skip
    """The card of a trained model as Markdown; `where` is the folder or hub id to load it from.

    `adapter` says whether the model is one. `summary` is that of a training which is about to write it.
    """
    manifest, training = run.manifest, run.manifest["training"]
    sections = [
        _front_matter(training, adapter),
        f"# {training.get('model') or 'A demonstration model'} trained on {manifest['env']}",
        f"Trained with GRPO on the environment `{manifest['env']}`, with `grpo-env train`.",
        _environment(manifest),
        _scores(run, summary or run.summary() or {}, checkpoint),
        _loading(run, adapter, where),
        _settings({**training, **run.manifest.get(RESUME_WITH, {})}),
        _versions(manifest),
    ]
    return "\n\n".join(section for section in sections if section) + "\n"


def _front_matter(training: Mapping[str, Any], adapter: bool) -> str:
    text: dict[str, Any] = {
        "library_name": "peft" if adapter else "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["grpo", "trl", "grpo-env-sdk"],
    }
    if is_hub_id(training.get("model") or ""):  # the hub rejects a card that names a folder
        text["base_model"] = training["model"]
    return f"---\n{yaml.safe_dump(text, sort_keys=True)}---"


def _environment(manifest: Mapping[str, Any]) -> str:
    package = manifest.get("distribution")
    rows = [
        ("environment", f"`{manifest['env']}`"),
        ("package", f"`{package}` {manifest.get('env_version') or ''}".strip() if package else "none"),
        ("config", f"`{json.dumps(manifest.get('config') or {}, ensure_ascii=False)}`"),
        ("rows", f"`{manifest['dataset_fingerprint']}`" if manifest.get("dataset_fingerprint") else ""),
        ("source", f"`{manifest['source_hash']}`" if manifest.get("source_hash") else ""),
    ]
    return "## Environment\n\n" + _table(("what", "which"), [row for row in rows if row[1]])


def _scores(run: Run, summary: Mapping[str, Any], checkpoint: int | None) -> str:
    heldout = [(name, name, found) for name, found in (summary.get("heldout") or {}).items()]
    for env, part in summary.get("environments", {}).items() if len(run.environments) > 1 else ():
        heldout += [(f"{env}, {name}", name, found) for name, found in (part.get("heldout") or {}).items()]
    rows = [
        (what, _mean(found), _greedy(found))
        for what, name, found in heldout
        if found and not (name == "after" and checkpoint is not None)
    ]
    if not rows:
        return "## Scores\n\nNo rows were held out, so there are no scores."
    measured = next(found for *_, found in heldout if found)
    table = _table(("training", "mean reward, sampled, with a 95% interval", "greedy"), rows)
    text = "" if checkpoint is None else f" These weights are those of step {checkpoint}, which was not evaluated."
    notes = heldout_notes(summary.get("heldout"), summary.get("heldout_compared"), examples=False)
    missing = "".join(f"\n\n{note}" for note in notes) if checkpoint is None else ""
    return f"## Scores\n\nOn {heldout_rows(measured)} of `{run.manifest['env']}`.{text}\n\n{table}{missing}"


def _mean(found: Mapping[str, Any]) -> str:
    if found.get("mean") is None:
        return f"-{missing_rows(found)}"
    interval = "" if found.get("low") is None else f" [{found['low']:z.3f}, {found['high']:z.3f}]"
    return f"{found['mean']:z.3f}{interval}{missing_rows(found)}"


def _greedy(found: Mapping[str, Any]) -> str:
    shown = "" if found.get("greedy") is None else f"{found['greedy']:z.3f}"
    return f"{shown}{missing_rows(found, 'greedy')}"


def _loading(run: Run, adapter: bool, where: str) -> str:
    manifest = run.manifest
    evaluations = "\n".join(f"$ grpo-env eval {name_in_run(run, env)} --model {where}" for env in run.environments)
    library, cls = ("peft", "AutoPeftModelForCausalLM") if adapter else ("transformers", "AutoModelForCausalLM")
    install = f"pip install grpo-env-trl {manifest.get('distribution') or ''}".strip()
    return f"""## Use

```python
from {library} import {cls}
from transformers import AutoTokenizer, pipeline

model = {cls}.from_pretrained("{where}")
tokenizer = AutoTokenizer.from_pretrained("{where}")
answer = pipeline("text-generation", model=model, tokenizer=tokenizer)
answer([{{"role": "user", "content": "..."}}])
```

To evaluate it again:

```console
$ {install}
{evaluations}
```"""


def _settings(training: Mapping[str, Any]) -> str:
    rows = [(f"`{name}`", f"`{training[name]}`") for name in _SETTINGS if training.get(name) is not None]
    return "## Training\n\n" + _table(("setting", "value"), rows) if rows else ""


def _versions(manifest: Mapping[str, Any]) -> str:
    versions = manifest.get("versions") or {}
    return (
        "Created with " + ", ".join(f"{name} {version}" for name, version in versions.items()) + "." if versions else ""
    )


def _table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> str:
    cells = [[cell.replace("|", "\\|") for cell in row] for row in (head, ("---",) * len(head), *rows)]
    return "\n".join(f"| {' | '.join(row)} |" for row in cells)
