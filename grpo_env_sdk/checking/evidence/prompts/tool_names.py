"""What the names of tools say: which change something, and which only look."""

import re
from collections.abc import Mapping
from typing import Any

from grpo_env_sdk.checking.evidence.playing.tool_parameters import description_of, name_of
from grpo_env_sdk.late_patterns import regex

CHANGES = regex(
    r"(?:accept|add|append|apply|approve|archive|assign|block|book|borrow|buy|cancel|charge|close|commit|create|"
    r"delete|deliver|deploy|disable|draw|drop|edit|enable|escalate|file|fill|flag|forward|grant|hire|insert|invite|"
    r"issue|label|lend|lock|make|mark|merge|modify|move|mute|order|pay|pick|place|plant|"
    r"play|post|pour|press|publish|push|put|record|refund|register|reject|remove|rename|reply|reserve|restart|return|"
    r"revoke|roll|route|save|"
    r"schedule|sell|send|set|ship|start|step|stop|submit|swap|tag|take|transfer|turn|update|upload|use|vote|"
    r"write)(?:_|$)"
)
LOOKS = regex(
    r"(?:get|list|show|view|look|search|find|read|fetch|describe|current|inspect|browse|query|lookup|peek)(?:_|$)"
)
"""How the names of tools begin that change something, where twice is another change, and of those that only look."""
_ASKS = regex(r"(?:is|are|has|can|count|calculate|compute|convert|now|today|current|status)(?:_|$)")
_ANSWERS = regex(
    r"(?:the|all|whether|which|what|how|when|where|list|show|get|find|look|returns?|tell|see|read|view|search|count)\b",
    re.IGNORECASE,
)
_COSTS = regex(
    r"hint|reveal|spoil|solution|surrender|give_up|"
    r"(?:^|_)(?:peek|answer|skip|ask|guess|try|check|finish|done|end)(?:s|ed|ing)?(?:_|$)"  # not calendar, task
)


def only_looks(tool: Mapping[str, Any]) -> bool:
    """Whether the name or the description of a tool says that it only looks something up, which need not cost."""
    name, text = name_of(tool), description_of(tool).strip()
    return may_only_look(tool) and bool(LOOKS.search(name) or _ASKS.match(name) or _ANSWERS.match(text))


def may_only_look(tool: Mapping[str, Any]) -> bool:
    """Whether the name of a tool does not say that it changes something, or should cost something."""
    name = name_of(tool)
    verbs = "_(?:and|or|then)_" if LOOKS.match(name) else "_"  # the file of read_file is no verb
    starts = [0, *(found.end() for found in re.finditer(verbs, name))]
    return not any(CHANGES.match(name, start) for start in starts) and (
        not _COSTS.search(name) or bool(LOOKS.match(name))
    )
