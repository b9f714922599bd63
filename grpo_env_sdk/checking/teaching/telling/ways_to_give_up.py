"""The words and tools by which a model gives up, or asks for help, where the prompt, a tool or the code names them."""

import re

from grpo_env_sdk.checking.evidence.author_code.code_words import code_words
from grpo_env_sdk.checking.evidence.playing.tool_parameters import name_of, required_of
from grpo_env_sdk.checking.evidence.shown_texts import prompt_text, texts_of
from grpo_env_sdk.checking.evidence.subject import Subject
from grpo_env_sdk.checking.evidence.tool_use.acts import some_golds
from grpo_env_sdk.data.messages import call_message
from grpo_env_sdk.late_patterns import regex
from grpo_env_sdk.types import Message, canonical_json

MOST = 6
_GIVES_UP = regex(
    r"\b(?:give up|surrender|resign|concede|hint|clue|tip|help|reveal|solution|solve|skip|pass|quit|stop|abort|"
    r"forfeit|show (?:the )?(?:answer|solution|word|secret)|cheat|spoiler?|i don't know|aufgeben|hilfe|tipp|weiter)\b",
    re.IGNORECASE,
)


def tools_to_give_up(subject: Subject, row: int) -> list[Message]:
    """The calls that do so, which gold never makes."""
    used = {name for gold in some_golds(subject) for name, _ in gold.calls}
    named = {
        name_of(tool): f"{name_of(tool)} {tool['function'].get('description')}".replace("_", " ")
        for tool in subject.tools_of(row) if not required_of(tool)
    }  # fmt: skip
    found = [name for name, said in named.items() if name not in used and _GIVES_UP.search(said)]
    return [call_message(name) for name in found[:MOST]]


def words_to_give_up(subject: Subject, row: int) -> list[str]:
    """The words, as the prompt and the schemas write them and as the code compares with them, that gold never says."""
    used = " ".join(text for gold in some_golds(subject) for text in texts_of(gold.turns)).casefold()
    shown = f"{prompt_text(subject, row)} {canonical_json(subject.tools_of(row))}"
    of_code = [one for one in code_words(subject.loaded.env).texts if _GIVES_UP.fullmatch(one.strip())]
    words = dict.fromkeys([*(one[0] for one in _GIVES_UP.finditer(shown)), *of_code])
    return [word for word in words if word.casefold() not in used][:MOST]
