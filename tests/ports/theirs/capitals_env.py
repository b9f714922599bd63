"""An environment of verifiers, as its users write one."""

import verifiers as vf
from datasets import Dataset

CAPITALS = {
    "France": "Paris",
    "Peru": "Lima",
    "Kenya": "Nairobi",
    "Japan": "Tokyo",
    "Chile": "Santiago",
    "Cuba": "Havana",
}


async def capital_of(country: str) -> str:
    """The capital of a country.

    Args:
        country: Its English name.
    """
    return CAPITALS.get(country, "unknown")


def length_of(word: str) -> int:
    """The number of letters of a word.

    Args:
        word: The word.
    """
    return len(word)


async def right(completion, answer, state) -> float:
    return float(completion[-1].content.strip() == answer)


def called_tools(completion) -> float:
    return float(any(getattr(message, "tool_calls", None) for message in completion))


def load_environment(**kwargs) -> vf.Environment:
    rows = [
        {"question": f"How many letters has the capital of {country}?", "answer": str(len(capital))}
        for country, capital in CAPITALS.items()
    ]
    rubric = vf.Rubric(funcs=[right, called_tools], weights=[1.0, 0.2])
    return vf.ToolEnv(
        dataset=Dataset.from_list(rows), tools=[capital_of, length_of], rubric=rubric, max_turns=5, **kwargs
    )
