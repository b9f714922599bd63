"""The HTML report of a training: held-out scores, curves, the same rows before and after, the config."""

from collections.abc import Iterator, Sequence
from html import escape

from grpo_env_sdk import Episode
from grpo_env_sdk.ext import Plot, Table, document, exhibit, heldout_notes, heldout_title, missing_rows
from grpo_env_trl.report.curves import curves
from grpo_env_trl.report.formatting import message_lines, reward_text
from grpo_env_trl.report.row_pairs import pairs
from grpo_env_trl.result import TrainingRun
from grpo_env_trl.runs.run_folder import RunFolder
from grpo_env_trl.setup.preparing import TrainingSetup

PAIRS = 6


def write_report(made: TrainingRun, setup: TrainingSetup) -> None:
    """Write `report.html` into the run folder; it loads no other files."""
    env, model = setup.env_name, setup.model_name
    text = f"{made.duration} · {setup.row_count} rows · seed {setup.args.seed}"
    parts = [f"<h1>{escape(model)} on {escape(env)}</h1>", f'<p class="facts">{escape(text)}</p>']
    if setup.chosen:
        parts.append(f"<p>{escape(str(setup.chosen))}</p>")
    if made.heldout:
        parts.append(_section(_scores(made)))
        parts += [f"<p>{escape(note)}</p>" for note in heldout_notes(made.heldout, made.compared)]
    telling, others = curves(made.metrics)
    parts += [_side_by_side(telling), *_pairs(RunFolder(made.run))]
    parts.append(_folded("All other logged metrics", _side_by_side(others)))
    parts.append(_folded("Config", exhibit(_config(setup))))
    made.report.write_text(document(f"{model} on {env}", "".join(parts)), encoding="utf-8")


def _section(item: Plot | Table) -> str:
    return f"<h2>{escape(item.title)}</h2>{exhibit(item)}"


def _side_by_side(plots: Sequence[Plot]) -> str:
    return f'<div class="sheet">{"".join(f"<figure>{_section(plot)}</figure>" for plot in plots)}</div>'


def _folded(title: str, body: str) -> str:
    return f"<details><summary>{escape(title)}</summary>{body}</details>"


def _scores(made: TrainingRun) -> Table:
    scores = dict(made.heldout or {})
    if len(made.environments) > 1:
        each = [(name, env["heldout"] or {}) for name, env in made.environments.items()]
        scores |= {f"{name}, {when}": found for name, heldout in each for when, found in heldout.items()}
    rows = [
        (
            name, _number(found["mean"]) + missing_rows(found), _number(found["low"]), _number(found["high"]),
            _number(found["greedy"]) + missing_rows(found, "greedy"),
        )
        for name, found in scores.items()
    ]  # fmt: skip
    note = "Sampled as in training, with a 95% interval; greedy always takes the most likely token."
    title = heldout_title(scores["before"])
    return Table(title[0].upper() + title[1:], ("", "sampled", "from", "to", "greedy"), rows, note)


def _pairs(folder: RunFolder) -> Iterator[str]:
    """The same rows before and after, side by side."""
    chosen = pairs(folder.path, PAIRS)
    several = len({before.env for before, _ in chosen}) > 1
    if chosen:
        yield "<h2>The same rows, before and after</h2>"
    for before, after in chosen:
        yield (
            f"<details><summary>{f'{escape(before.env)}, ' * several}row {before.row_index}: {reward_text(before)} "
            f"before, {reward_text(after)} after</summary>"
            '<div class="wide"><table><tr><th>before</th><th>after</th></tr><tr>'
            f"<td><pre>{_transcript(before)}</pre></td><td><pre>{_transcript(after)}</pre></td></tr>"
            "</table></div></details>"
        )


def _transcript(episode: Episode) -> str:
    text = [*message_lines(episode.messages), f"({episode.stop_reason})"]
    return escape("\n".join(text))


def _config(setup: TrainingSetup) -> Table:
    rows = [(name, value) for name, value in setup.resolved().items()]
    return Table("Config", ("setting", "value"), rows, "The same as config.yaml, which --config reads.")


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:z.3f}"
