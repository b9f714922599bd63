"""What the names of tools say: which change something, and which only look."""

import re

CHANGES = re.compile(
    r"(?:add|append|apply|approve|assign|book|borrow|buy|cancel|charge|close|commit|create|delete|deliver|deploy|draw|"
    r"drop|edit|escalate|file|fill|hire|insert|issue|lend|lock|make|mark|merge|modify|move|order|pay|pick|place|plant|"
    r"play|post|pour|press|publish|push|put|record|refund|register|remove|rename|reply|reserve|return|roll|route|save|"
    r"schedule|sell|send|set|ship|start|step|stop|submit|swap|take|transfer|turn|update|upload|use|vote|write)(?:_|$)"
)
LOOKS = re.compile(
    r"(?:get|list|show|view|look|search|find|read|fetch|describe|current|inspect|browse|query|lookup|peek)(?:_|$)"
)
"""How the names of tools begin that change something, where twice is another change, and of those that only look."""
