"""Where the answer is in a reply: how the prompt asks for it, how it is found, how the gold reply is written."""

import re
from dataclasses import dataclass
from typing import Literal, get_args

AnswerIn = Literal["tags", "last_line", "whole"]
PLACES: tuple[AnswerIn, ...] = get_args(AnswerIn)


@dataclass(frozen=True, slots=True)
class Place:
    """One place for the answer, which may have several lines."""

    asked_for: str
    pattern: re.Pattern[str]
    form: str

    def written(self, answer: str) -> str:
        """A reply with only this answer."""
        return self.form.replace("{}", answer)

    def find(self, reply: str) -> str | None:
        """The answer in a reply (the last one if there are several), or None."""
        found = self.pattern.findall(reply)
        return found[-1].strip() if found else None


REPLIES: dict[AnswerIn, Place] = {
    "tags": Place(
        "Think as long as you need. Then give the final answer, and nothing else, between <answer> and </answer>.",
        re.compile(r"<answer>((?:(?!</?answer>).)*)</answer>", re.DOTALL),
        "<answer>{}</answer>",
    ),
    "last_line": Place(
        "Think as long as you need. Then end with 'Answer:' and the final answer.",
        re.compile(r"Answer:((?:(?!Answer:).)*)\Z", re.DOTALL),
        "Answer: {}",
    ),
    "whole": Place(
        "Reply with the final answer and nothing else.",
        re.compile(r"\A.+\Z", re.DOTALL),
        "{}",
    ),
}
