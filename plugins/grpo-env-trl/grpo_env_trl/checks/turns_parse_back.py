"""Whether the model trains on what it read: earlier turns do not change, and a turn parses as it was written."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk import Episode, Message
from grpo_env_sdk.ext import Finding, Severity, Subject, check, messages_read, one_line
from grpo_env_trl.checks.episode_tokens import misread_turn, same_turn, turn_text
from grpo_env_trl.checks.rendered import played_of, refused_of, renderer_of, tokenizer_of
from grpo_env_trl.tokens.rendering import Renderer
from grpo_env_trl.tokens.text_parts import joined_parts

_SHOWN = 12
"""Tokens to show from where two renderings differ."""


@check("M803", kinds=("tools", "multi-turn"))
def earlier_turns_stay(subject: Subject) -> Iterator[Finding]:
    """A whole episode renders to the tokens that the model read turn by turn, in real episodes."""
    renderer = renderer_of(subject)
    if refused_of(subject):
        yield _refused(*refused_of(subject)[0])
        return
    later: tuple[Episode, list[int], list[int]] | None = None
    for episode, _, said in played_of(subject):
        shown = messages_read(episode)[: len(said.turns)]  # before each turn that was written
        if len(shown) < 2 or renderer.raw_prompts.text(episode.row["prompt"]) is not None:
            continue  # a prompt that is rendered already has no messages to render again
        read = said.segments.last.context[: -len(said.turns[-1][2])]
        try:
            own = said.segments.last.renderer
            whole, served = own.opening(shown[-1]), _served(own, shown[-1])
        except Exception as exc:  # what a template raises is its own
            yield _refused(episode, exc)
            return
        if whole != read:
            yield _parted(
                renderer, episode, read, whole,
                "The chat template changes earlier turns of a real episode once later turns follow",
                "Use a prefix-preserving chat template: otherwise the model trains on other tokens than it reads.",
            )  # fmt: skip
            return
        if served != read:
            later = later or (episode, read, served)
    if later:
        what = "A server that uses the model's own template renders earlier turns differently from training"
        hint = "Serve the trained model with the template that it was trained with (TRL's training template)."
        yield _parted(renderer, *later, what, hint, "info")


@check("M804")
def turns_come_back(subject: Subject) -> Iterator[Finding]:
    """A turn of the model, tool calls above all, parses from its tokens as it was written."""
    if not tokenizer_of(subject).chat_template:
        return
    knows_calls = renderer_of(subject).response_template is not None  # otherwise M801 reports it
    for episode, by_gold, said in sorted(played_of(subject), key=lambda one: not one[1]):
        for wrote, read, _ in said.turns:
            if wrote.get("tool_calls") and not knows_calls:
                break
            if not same_turn(wrote, read):
                yield Finding(
                    *misread_turn(wrote, read), episode.row_index, wrote, read, wrote,
                    "error" if by_gold and wrote.get("tool_calls") else "warning",
                )  # fmt: skip
                return
        turns = [message for message in episode.completion if message["role"] == "assistant"]
        unwritten = turns[len(said.turns)] if len(said.turns) < len(turns) else None
        if unwritten and (unwritten.get("content") or (unwritten.get("tool_calls") and knows_calls)):
            whose = "the solution" if by_gold else "a random episode"
            yield Finding(
                f"The template cannot write turn {len(said.turns) + 1} of {whose}: {turn_text(unwritten):.150}.",
                "Some templates allow one call per turn: let solve make one at a time, or use another model.",
                episode.row_index, unwritten, severity="error" if by_gold else "info",
            )  # fmt: skip
            return


def _refused(episode: Episode, exc: Exception) -> Finding:
    return Finding(
        f"The chat template accepts the prompt of an episode but rejects the rest: {one_line(exc)}",
        getattr(exc, "hint", "") or "Let the environment answer with roles that the template supports, in its order.",
        episode.row_index, episode.messages, type(exc).__name__, "tokens",
    )  # fmt: skip


def _served(renderer: Renderer, messages: Sequence[Message]) -> list[int]:
    """The messages before a turn as a server renders them, with the tokenizer's own template."""
    tokenizer = renderer.tokenizer
    text = tokenizer.apply_chat_template(
        joined_parts(messages), tools=renderer.tools or None, add_generation_prompt=True, tokenize=False
    )
    return list(tokenizer(text, add_special_tokens=False)["input_ids"])


def _parted(
    renderer: Renderer, episode: Episode, read: Sequence[int], other: Sequence[int], what: str, hint: str,
    severity: Severity | None = None,
) -> Finding:  # fmt: skip
    at = next((i for i, (a, b) in enumerate(zip(read, other, strict=False)) if a != b), min(len(read), len(other)))
    shown = [renderer.tokenizer.decode(list(ids)[max(0, at - 2) : at + _SHOWN]) for ids in (read, other)]
    return Finding(
        f"{what}: {shown[0]!r} became {shown[1]!r}.", hint, episode.row_index, episode.completion, shown[1], shown[0],
        severity=severity,
    )  # fmt: skip
