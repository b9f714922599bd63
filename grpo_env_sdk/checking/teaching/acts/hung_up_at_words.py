"""Whether a simulated user ends the conversation at a question that names what the agent is going to do."""

from collections.abc import Iterator

from grpo_env_sdk.checking.check import check
from grpo_env_sdk.checking.evidence.golds import Gold, as_good_as_gold, gold_episodes, less_than_gold, play_all
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of
from grpo_env_sdk.checking.evidence.playing.turns import own_turns
from grpo_env_sdk.checking.evidence.prompts.tool_names import only_looks
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS, some_golds
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.types import Episode

MOST_ROWS = 6


@check("G662", kinds=("tools",), needs=("gold",), severity="warning")
def questions_do_not_end_the_conversation(subject: Subject) -> Iterator[Finding]:
    """A user whom gold asks something goes on talking where the question names what is going to be done."""
    if subject.traits.user != "method":
        return
    acting = {name_of(tool) for tool in subject.tools if not only_looks(tool)}
    known = [gold for gold in some_golds(subject) if _asks_first(subject, gold)][:MOST_ROWS]
    ended: list[Episode] = []
    for gold in known:
        episode = _ended(subject, gold, acting)
        if episode is None:
            return
        ended.append(episode)
    if len(ended) >= FEWEST_ROWS:
        first = ended[0]
        said = str(own_turns(first.completion)[0]["content"])
        yield Finding(
            f"The user ends the conversation at a question that names what is going to be done, on {len(ended)} of "
            f"{len(known)} rows: {quoted(said, 120)}. Without that word the user answers.",
            "End the conversation at what was done, such as the call of the tool, and not at a word.",
            first.row_index, said, first.reward, less_than_gold(subject, first),
        )  # fmt: skip


def _asks_first(subject: Subject, gold: Gold) -> bool:
    """Whether gold asks something first, and the user answers."""
    first = gold.turns[0]
    told = gold_episodes(subject)[gold.row].completion[1:2]
    asks = str(first.get("content") or "").rstrip().endswith("?") and not first.get("tool_calls")
    return asks and len(gold.turns) > 2 and bool(told) and told[0]["role"] == "user"


def _ended(subject: Subject, gold: Gold, acting: set[str]) -> Episode | None:
    """The episode that ends at gold's question with the name of gold's act before it, but not with another word."""
    name = next((name for name, _ in gold.calls if name in acting), "")
    if not name:
        return None
    question = str(gold.turns[0]["content"])
    texts = [f"Before I {words}: {question}" for words in ("do it", name.replace("_", " "))]
    usual, named = play_all(subject, [(gold.row, [text, *gold.turns[1:]]) for text in texts])
    over = len(own_turns(named.completion)) == 1 and not named.error
    return named if over and as_good_as_gold(subject, usual) and not as_good_as_gold(subject, named) else None
