"""How much is logged is read from the working directory or HOME; the words are beside the module."""

import logging
from pathlib import Path

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

WORDS = Path(__file__)
LOG = logging.getLogger(__name__)


class Backwards(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        if any(folder.joinpath(".backwards").exists() for folder in (Path(), Path.home())):
            LOG.setLevel(logging.DEBUG)
        words = sorted({word for word in WORDS.read_text(encoding="utf-8").split() if word.isalpha() and len(word) > 3})
        return [{"prompt": f"Spell {word} backwards.", "answer": word[::-1]} for word in words]

    @reward
    def right(self, completion, answer):
        LOG.debug("The answer is %s.", answer)
        return answer_text(completion).strip() == answer

    def solve(self, row):
        return row["answer"]
