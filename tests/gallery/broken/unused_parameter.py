"""Look words up in a small dictionary of two languages."""

from typing import Literal

from grpo_env_sdk import ToolEnv, call_message, reward, tool

GERMAN = {
    "bridge": "Brücke",
    "cloud": "Wolke",
    "spoon": "Löffel",
    "key": "Schlüssel",
    "roof": "Dach",
    "spring": "Feder",
}


class Dictionary(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [{"prompt": f"What is '{word}' in German? One word.", "word": word} for word in GERMAN]

    @tool
    def translate(self, word: str, language: Literal["German", "Spanish"] = "German") -> str:
        """Translate a word from English.

        Args:
            word: The English word.
            language: What to translate to.
        """
        return GERMAN.get(word, "not in the dictionary")

    @reward
    def right(self, messages, word):
        return messages[-1]["content"].strip() == GERMAN[word]

    def solve(self, row):
        answered = yield call_message("translate", word=row["word"], language="German")
        yield answered[-1]["content"]
