"""`grpo-env info`: describe an environment, without playing an episode."""

import argparse
import importlib.metadata
import json
import warnings
from typing import Any

from grpo_env_sdk.cli.output import print_json, say
from grpo_env_sdk.cli.parser import BUILD_SECONDS, add_env_config, add_json, add_tokenizer
from grpo_env_sdk.data.filled_keys import filled_keys_note
from grpo_env_sdk.data.messages import readable_text
from grpo_env_sdk.data.plain_data import plain_data
from grpo_env_sdk.data.rows import Rows
from grpo_env_sdk.envs.author_reads import read_within
from grpo_env_sdk.envs.config import parameters_of, read_config
from grpo_env_sdk.envs.loaded_env import LoadedEnv
from grpo_env_sdk.envs.loading import load
from grpo_env_sdk.errors import EnvironmentFailedError, GrpoEnvWarning
from grpo_env_sdk.evaluation.written_ranges import written_range
from grpo_env_sdk.images.image import is_image
from grpo_env_sdk.isolation.calls.tracebacks import defined_at
from grpo_env_sdk.isolation.values.error_text import cut
from grpo_env_sdk.isolation.values.json_values import short_repr
from grpo_env_sdk.plain_text import counted
from grpo_env_sdk.registry.lookup import load_class, specs
from grpo_env_sdk.registry.summaries import with_own_summaries
from grpo_env_sdk.rollout.tools_per_row import tools_of_rows
from grpo_env_sdk.types import EnvSpec, Row, Schemas

EXAMPLE = "  grpo-env info hotel-v1 --row 3"
MOST_READ = 1000
"""The rows that are read for keys that only some have."""
MOST_SHOWN = 300
"""The characters of a column that are shown."""


def configure(parser: argparse.ArgumentParser) -> None:
    """Add the flags."""
    parser.add_argument("env", metavar="ENV", help="an id, dist:id, or module:Class")
    parser.add_argument("--row", type=int, default=0, metavar="N", help="the row to show (default: 0)")
    add_env_config(parser)
    add_tokenizer(parser)
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Print the description of the environment."""
    loaded = load(args.env, read_config(args.env_config), tokenizer=args.tokenizer, build_timeout=BUILD_SECONDS)
    data = describe(loaded, args.row)
    if args.json:
        print_json(data)
    else:
        _print(data)
        if note := filled_keys_note(loaded.rows("all")[:MOST_READ]):
            say(f"note: {note}")
    return 0


def describe(loaded: LoadedEnv, row: int = 0) -> dict[str, Any]:
    """Everything that `info` prints, as plain data."""
    traits, spec = loaded.traits, loaded.spec
    rows = loaded.rows("all")
    sample = rows.row(row)
    splits = {name: len(loaded.rows(name)) for name in ("train", "test")}
    of_class = read_within(BUILD_SECONDS, spec.id, lambda: _of_class(loaded))
    return {
        "id": spec.id,
        "distribution": spec.distribution,
        "version": spec.version,
        "summary": of_class["summary"],
        "kind": traits.kind,
        "source": of_class["source"],
        "homepage": _homepage(spec.distribution),
        "config": of_class["config"],
        "dataset": {
            "rows": len(rows), "splits": splits, "own_split": loaded.splits_itself,
            "columns": rows.columns, "row": row, "sample": sample,
        },
        "tokenizer": loaded.tokenizer_name,
        "tools": _tools_of(loaded, rows, row),
        "tools_of_rows": traits.tools_of_rows,
        "scored_by": "score_episode" if loaded.description.score_rule.by_method else "rewards",
        "rewards": [{"name": part.name, "weight": part.weight} for part in loaded.description.score_rule.parts],
        "reward_range": written_range(traits.reward_range),
        "limits": {
            "max_turns": traits.max_turns, "max_live": traits.max_live, "call_seconds": traits.call_seconds,
            "episode_seconds": traits.episode_seconds,
        },
        "runs_tools": traits.runs_tools,
        "instances": traits.instances,
        "parallel": traits.parallel,
        "uses_model": traits.uses_model,
        "replayable": traits.replayable,
        "isolate_globals": traits.isolate_globals,
        "raw_prompts": traits.raw_prompts,
        "solvable": traits.solvable,
        "has_view": traits.has_view,
        "source_hash": spec.source_hash,
    }  # fmt: skip


def _of_class(loaded: LoadedEnv) -> dict[str, Any]:
    """What is read from the class of an environment and from its constructor."""
    spec, cls = loaded.spec, type(loaded.env)
    doc = cls.__doc__
    return {
        "summary": _listed_summary(spec) or (doc if isinstance(doc, str) else "").strip().split("\n")[0],
        "source": defined_at(cls),
        "config": [
            {
                "name": p.name, "type": p.type, "required": p.required and p.name not in spec.config,
                "default": plain_data(spec.config.get(p.name, p.default)), "given": p.name in spec.config,
            }
            for p in parameters_of(load_class(spec)).values()
        ],
    }  # fmt: skip


def _listed_summary(spec: EnvSpec) -> str:
    """What `list` says of an environment, which takes the others of its package to know."""
    same_package = [one for one in specs() if one.distribution == spec.distribution] if spec.distribution else []
    return next((one.summary for one in with_own_summaries(same_package) if one.id == spec.id), spec.summary)


def _tools_of(loaded: LoadedEnv, rows: Rows, row: int) -> Schemas:
    """The schemas that a row offers; none, and a note, where its episode does not open."""
    try:
        return dict(tools_of_rows(loaded, rows, [row]))[row]
    except EnvironmentFailedError as exc:
        warnings.warn(str(exc), GrpoEnvWarning, stacklevel=2)
        return []


def _homepage(distribution: str | None) -> str | None:
    if distribution is None:
        return None
    urls = importlib.metadata.metadata(distribution).get_all("Project-URL") or []
    named = {label.strip().lower(): url.strip() for label, _, url in (line.partition(",") for line in urls)}
    return next((named[key] for key in ("readme", "documentation", "homepage", "repository") if key in named), None)


def _print(data: dict[str, Any]) -> None:
    origin = f" from {data['distribution']} {data['version']}" if data["distribution"] else ""
    say(f"{data['id']}{origin}  {data['source']}")
    for line in (data["summary"], data["homepage"]):
        if line:
            say(line)
    turns = "" if data["kind"] == "single-turn" else f", at most {data['limits']['max_turns']} turns"
    say(f"\nkind       {data['kind']}{turns}{_traits(data)}")
    low, high = data["reward_range"]
    say(f"reward     {'-inf' if low is None else f'{low:g}'} to {'inf' if high is None else f'{high:g}'}{_by(data)}")
    for item in data["rewards"]:
        say(f"           {item['name']}  weight {item['weight']:g}")
    dataset = data["dataset"]
    held_out = "its own split" if dataset["own_split"] else "held out by content"
    splits = dataset["splits"]
    say(f"rows       {dataset['rows']}: {splits['train']} train, {splits['test']} test ({held_out})")
    say(f"columns    {', '.join(dataset['columns'])}")
    if data["tokenizer"]:
        say(f"tokenizer  {data['tokenizer']}")
    if limits := _limits(data["limits"]):
        say(f"limits     {limits}")
    _print_tools(data)
    _print_config(data["config"])
    _print_sample(dataset["row"], dataset["sample"])


def _by(data: dict[str, Any]) -> str:
    """What a reader may not expect of the score: that the step rewards are not part of it."""
    if data["kind"] != "multi-turn" or data["scored_by"] == "rewards":
        return ""
    return ", by score_episode alone: step rewards do not count"


def _traits(data: dict[str, Any]) -> str:
    facts = [
        "has a gold solution" if data["solvable"] else "no solve(row)",
        "" if data["parallel"] else "scored one at a time",
        "the scorer needs the model" if data["uses_model"] else "",
        "" if data["replayable"] else "not replayable",
        "one call at a time (isolate_globals)" if data["isolate_globals"] else "",
        "a view decides what the model reads" if data["has_view"] else "",
    ]
    return "".join(f"; {item}" for item in facts if item)


def _limits(limits: dict[str, Any]) -> str:
    """The limits that the class declares, beside its turns."""
    texts = {
        "max_live": "at most {} episodes at once (max_live)", "call_seconds": "{:g} s for a call",
        "episode_seconds": "{:g} s for an episode",
    }  # fmt: skip
    return ", ".join(text.format(limits[name]) for name, text in texts.items() if limits[name] is not None)


def _print_tools(data: dict[str, Any]) -> None:
    if data["tools_of_rows"]:
        of = f"{counted(len(data['tools']), 'tool')} of row {data['dataset']['row']}"
        say(f"tools      each row has its own; {of}:")
    for index, tool in enumerate(data["tools"]):
        function = tool["function"]
        properties = function.get("parameters", {}).get("properties", {})
        required = function.get("parameters", {}).get("required", [])
        arguments = ", ".join(name if name in required else f"[{name}]" for name in properties)
        first = function.get("description", "").split("\n")[0]
        say(
            f"{'tools' if index == 0 and not data['tools_of_rows'] else '':10} {function['name']}({arguments})  {first}"
        )


def _print_config(config: list[dict[str, Any]]) -> None:
    for index, item in enumerate(config):
        what = "given" if item["given"] else "default"
        default = "required" if item["required"] else f"{what} {item['default']!r}"
        say(f"{'config' if index == 0 else '':10} {item['name']}: {item['type']}, {default}")


def _print_sample(number: int, row: Row) -> None:
    def as_text(value: Any) -> str:
        return f"image, {value.width} x {value.height}" if is_image(value) else short_repr(value)

    say(f"\nrow {number}")
    for name, value in row.items():
        if name == "prompt" and isinstance(value, list):
            for message in value:
                text = readable_text(message.get("content")) or json.dumps(message.get("tool_calls"))
                say(f"  {message['role']}: {text}")
        else:
            text = value if isinstance(value, str) else json.dumps(value, default=as_text)
            say(f"  {name}: {cut(text, MOST_SHOWN)}")
