"""Answers that are as good as gold's, as the prompt shows, and are not right."""

from collections.abc import Iterator, Sequence

from grpo_env_sdk.checking.evidence.golds import as_good_as_gold, golds, play_scored
from grpo_env_sdk.checking.evidence.quoted_answers import quoted
from grpo_env_sdk.checking.evidence.subject import Completion, Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import FEWEST_ROWS
from grpo_env_sdk.checking.findings.finding import Finding
from grpo_env_sdk.data.messages import answer_text

MOSTLY = 0.75


def as_good_refused(
    subject: Subject, answers: Sequence[tuple[int, Completion]], what: str, hint: str, why: str = ""
) -> Iterator[Finding]:
    """The finding that most of these are not right; `what` they are, and `why` they should be, for its message."""
    played = play_scored(subject, answers)
    lost = [episode for episode in played if not as_good_as_gold(subject, episode)]
    rows = {episode.row_index for episode in lost}
    if len(rows) >= FEWEST_ROWS and len(lost) >= MOSTLY * len(played):
        episode = lost[0]
        gold, said = golds(subject)[episode.row_index], answer_text(episode.completion)
        yield Finding(
            f"{what} not right on {len(rows)} rows{why}: {quoted(said)} scores {episode.reward:g}, and "
            f"{quoted(gold.text)} {gold.reward:g}.",
            hint, episode.row_index, said, episode.reward, gold.reward,
        )  # fmt: skip
