"""Whether prompts and completions fit into the context of the model, and contain none of its special tokens."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from grpo_env_sdk import Message
from grpo_env_sdk.ext import Finding, Item, Subject, Table, Undecided, check, prompt_messages
from grpo_env_trl.checks.rendered import context_of, played_of, prompts_of, renderer_of, tokenizer_of
from grpo_env_trl.tokens.rendering import Renderer

USUAL_COMPLETION = 512
"""TRL's default `max_completion_length`."""
_CALLS = ("tool_call", "tool_response", "think")
"""Tokens that a model writes itself; in a prompt or an observation they are only an info."""


@check("M805", severity="warning", needs=("rows",))
def prompts_and_answers_fit(subject: Subject) -> Iterator[Item]:
    """Prompts leave enough of the context for an answer, and solutions fit into it."""
    lengths = {row: len(ids) for row, ids in prompts_of(subject).items() if not isinstance(ids, Exception)}
    if not lengths:
        return
    solved = {episode.row_index: said for episode, by_gold, said in _said(subject) if by_gold}
    solutions = {row: said.completion for row, said in solved.items()}
    needed = {row: said.beyond_prompt for row, said in solved.items()}
    yield _table(subject, lengths, solutions)
    longest, context = max(lengths, key=lambda row: lengths[row]), context_of(subject)
    if context is None:
        why = "Neither the config nor the tokenizer says how long the context of the model is."
        yield Undecided(why, "Give --model the folder or hub id of a whole model.")
    elif lengths[longest] >= context:
        over = sum(length >= context for length in lengths.values())
        yield Finding(
            f"The prompts of {over} of {len(lengths)} rows are longer than the context of {context:,} tokens: "
            f"row {longest} has {lengths[longest]:,}.",
            "Shorten them, or use a model with a longer context.", longest, output=lengths[longest], severity="error",
        )  # fmt: skip
    elif solutions:
        room = {row: context - lengths.get(row, lengths[longest]) for row in solutions}
        tight = min(needed, key=lambda row: room[row] - needed[row])
        if needed[tight] > room[tight]:
            yield Finding(
                f"The solution of row {tight} needs {needed[tight]:,} tokens, but its prompt leaves "
                f"{max(0, room[tight]):,} of {context:,}.",
                "Shorten the prompt or the observations, or use a model with a longer context.", tight,
                output=needed[tight], severity="error",
            )  # fmt: skip
    if solutions and max(solutions.values()) > USUAL_COMPLETION:
        row = max(solutions, key=lambda row: solutions[row])
        yield Finding(
            f"The solution of row {row} needs {solutions[row]:,} tokens, observations included, and the default "
            f"max_completion_length is {USUAL_COMPLETION}.",
            f"Train with --max-completion-length {solutions[row]} or more.", row, severity="info",
        )  # fmt: skip


@check("M806", severity="warning", needs=("rows",))
def data_holds_no_special_tokens(subject: Subject) -> Iterator[Finding]:
    """No prompt and no observation contains the text of a special token of the model."""
    renderer = renderer_of(subject)
    found: dict[str, tuple[int, str, str]] = {}
    for row, where, text in _texts(subject):
        for token in _specials(tokenizer_of(subject)):
            if token in text:
                found.setdefault(token, (row, where, text))
    ends = set(renderer.tokenizer.convert_ids_to_tokens(sorted(renderer.eos_ids)))
    for token in sorted(found, key=lambda token: token not in ends):
        row, where, text = found[token]
        place = text.index(token)
        yield Finding(
            f"{where} of row {row} contains {token!r}, which {_meaning(token, ends)}: "
            f"{text[max(0, place - 30) : place + len(token) + 30]!r}.",
            "Use chat messages and let the template add its special tokens; escape them where they are data.",
            row, text, token, severity="error" if token in ends and where == "The prompt" else None,
        )  # fmt: skip
        return


def _said(subject: Subject) -> Iterable[Any]:
    """The episodes in tokens; empty where scoring needs the live model."""
    return () if subject.traits.uses_model else played_of(subject)


def _table(subject: Subject, lengths: Mapping[int, int], solutions: Mapping[int, int]) -> Table:
    rows = [[what, len(found), *_three(found)] for what, found in (
        ("prompts, with the tools", list(lengths.values())), ("solutions, with observations",
         list(solutions.values()))) if found]  # fmt: skip
    note, first = "", next(iter(lengths))
    renderer = renderer_of(subject).with_tools(subject.tools_of(first))
    raw = renderer.raw_prompts.text(subject.row(first)["prompt"])
    if renderer.tools and renderer.tokenizer.chat_template and raw is None:
        bare = Renderer(renderer.tokenizer)
        without = len(bare.opening(prompt_messages(subject.row(first)["prompt"])))
        note = f"The list of tools takes {lengths[first] - without:,} tokens of each prompt."
    return Table("Tokens of this model", ("what", "measured", "median", "99%", "most"), rows, note)


def _three(found: list[int]) -> tuple[int, int, int]:
    ordered = sorted(found)
    last = len(ordered) - 1
    return ordered[len(ordered) // 2], ordered[round(0.99 * last)], ordered[last]


def _texts(subject: Subject) -> Iterator[tuple[int, str, str]]:
    """Every text that is sent to the model: the row, what it is, and the text."""
    raw = renderer_of(subject).raw_prompts
    for row in prompts_of(subject):
        if raw.text(subject.row(row)["prompt"]) is not None:
            continue  # rendered already, special tokens and all
        for message in prompt_messages(subject.row(row)["prompt"]):
            yield from ((row, "The prompt", text) for text in _content(message))
    for episode, _, _ in _said(subject):
        for message in episode.completion:
            if message["role"] != "assistant":
                yield from ((episode.row_index, "An observation", text) for text in _content(message))


def _content(message: Message) -> list[str]:
    content = message.get("content")
    parts = content if isinstance(content, list) else [content]
    return [part if isinstance(part, str) else str(part.get("text") or "") for part in parts if part]


def _specials(tokenizer: Any) -> list[str]:
    """The special and added tokens: a text that contains one is tokenized to it."""
    added = [token for token in tokenizer.get_added_vocab() if not any(word in token for word in _CALLS)]
    return sorted({token for token in (*tokenizer.all_special_tokens, *added) if token.strip()})


def _meaning(token: str, ends: set[str]) -> str:
    return "ends a turn for this model" if token in ends else "is a special token of this model"
