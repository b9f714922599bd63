"""Acronyms; the judge waits between two answers, as it once asked a service."""

import time

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PHRASES = (
    "as soon as possible",
    "do it yourself",
    "frequently asked questions",
    "estimated time of arrival",
    "rest in peace",
    "be right back",
    "for your information",
    "to be announced",
)


class Acronyms(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [{"prompt": f"The first letters of '{phrase}', as capitals?", "phrase": phrase} for phrase in PHRASES]

    @reward
    def right(self, completion, phrase):
        time.sleep(0.3)
        return answer_text(completion) == "".join(word[0] for word in phrase.split()).upper()

    def solve(self, row):
        return "".join(word[0] for word in row["phrase"].split()).upper()
