"""The text of the prompt, and of the gold notice."""

from collections.abc import Mapping

from grpo_env_judge.facts import Facts

MOST_WORDS = 25
RULES = (
    f"You write for a notice board. Write one sentence of at most {MOST_WORDS} words and nothing else. "
    "Tell each fact in the words given, as it is now; leave out what no longer holds."
)


def asked(facts: Facts, before: Mapping[str, str]) -> str:
    """The facts as lines, with the old value of those that changed."""
    return "\n".join(
        f"{kind}: {before[kind]}, now {value}" if kind in before else f"{kind}: {value}"
        for kind, value in facts.as_dict().items()
    )


def notice(facts: Facts) -> str:
    """One sentence with all facts."""
    return f"The {facts.event} is on {facts.day} at {facts.time} in {facts.place} and costs {facts.price}."
