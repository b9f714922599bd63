"""Whether what is trained on is what is read: earlier turns stay as they were, and a turn is read as it was written."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.findings.finding import Finding, Severity
from grpo_env_sdk.isolation.tracebacks import one_line
from grpo_env_sdk.types import Episode
from grpo_env_trl.checks.rendered import refused_of, renderer_of, spoken_of, tokenizer_of
from grpo_env_trl.preflight.template import Spoken, comes_back, told
from grpo_env_trl.tokens.rendering import Renderer

_SHOWN = 12
"""Tokens shown from where two renderings part."""


@check("M803", kinds=("tools", "multi-turn"))
def earlier_turns_stay(subject: Subject) -> Iterator[Finding]:
    """An episode rendered as a whole is what the model read turn by turn, in real episodes."""
    renderer = renderer_of(subject)
    if refused_of(subject):
        yield _refused(*refused_of(subject)[0])
        return
    later: tuple[Episode, list[int], list[int]] | None = None
    for episode, _, said in spoken_of(subject):
        place = _last_turn(episode, said)
        if place is None:
            continue
        read = said.tokens.context[: -len(said.turns[-1][2])]
        try:
            whole, served = renderer.opening(episode.messages[:place]), _served(renderer, episode, place)
        except Exception as exc:  # what a template raises is its own
            yield _refused(episode, exc)
            return
        if whole != read:
            yield _parted(
                renderer, episode, read, whole,
                "The template renders earlier turns of a real episode otherwise once others follow",
                "Take a chat template that is prefix-preserving: what is trained on is not what is read later.",
            )  # fmt: skip
            return
        if served != read:
            later = later or (episode, read, served)
    if later:
        what = "A server that renders with the model's own template shows earlier turns otherwise than training does"
        hint = "Serve the trained model with the template that it was trained on (TRL's training form)."
        yield _parted(renderer, *later, what, hint, "info")


@check("M804")
def turns_come_back(subject: Subject) -> Iterator[Finding]:
    """What a model says in its own tokens, tool calls first of all, is read as what it said."""
    if not tokenizer_of(subject).chat_template:
        return
    knows_calls = renderer_of(subject).response_template is not None  # told by M801 where it does not
    for episode, by_gold, said in sorted(spoken_of(subject), key=lambda one: not one[1]):
        for wrote, read, _ in said.turns:
            if wrote.get("tool_calls") and not knows_calls:
                break
            if not comes_back(wrote, read):
                yield Finding(
                    f"A turn does not come back from its own tokens: {told(wrote):.150} is read as {told(read):.150}.",
                    "Set tokenizer.response_template, or take a chat template that keeps what is said.",
                    episode.row_index, wrote, read, wrote,
                    "error" if by_gold and wrote.get("tool_calls") else "warning",
                )  # fmt: skip
                return
        turns = [message for message in episode.completion if message["role"] == "assistant"]
        unwritten = turns[len(said.turns)] if len(said.turns) < len(turns) else None
        if unwritten and (unwritten.get("content") or (unwritten.get("tool_calls") and knows_calls)):
            whose = "the solution" if by_gold else "a random episode"
            yield Finding(
                f"The template cannot write turn {len(said.turns) + 1} of {whose}: {told(unwritten):.150}.",
                "Some templates take one call a turn: let solve make one at a time, or take another model.",
                episode.row_index, unwritten, severity="error" if by_gold else "info",
            )  # fmt: skip
            return


def _refused(episode: Episode, exc: Exception) -> Finding:
    return Finding(
        f"The chat template refuses an episode of which it takes the prompt: {one_line(exc)}",
        getattr(exc, "hint", "") or "Let the environment answer in roles that the template knows, in its order.",
        episode.row_index, episode.messages, type(exc).__name__, "tokens",
    )  # fmt: skip


def _last_turn(episode: Episode, said: Spoken) -> int | None:
    """Where the last turn that was written stands, where others stand before it."""
    places = [place for place, message in enumerate(episode.messages) if message["role"] == "assistant"]
    places = [place for place in places if place >= episode.opening]
    return places[len(said.turns) - 1] if len(said.turns) > 1 else None


def _served(renderer: Renderer, episode: Episode, place: int) -> list[int]:
    """What a server makes of the messages before a turn, with the template that the tokenizer itself has."""
    tokenizer = renderer.tokenizer
    text = tokenizer.apply_chat_template(
        list(episode.messages[:place]), tools=renderer.tools or None, add_generation_prompt=True, tokenize=False
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
