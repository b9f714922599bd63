"""Greetings in many scripts: which language is it?"""

import unicodedata

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

GREETINGS = {
    "Greek": "Καλημέρα σε όλους",
    "Russian": "Доброе утро, друзья",
    "Arabic": "صباح الخير يا أصدقاء",
    "Hebrew": "בוקר טוב לכולם",
    "Hindi": "सुप्रभात दोस्तों",
    "Thai": "สวัสดีตอนเช้า",
    "Korean": "좋은 아침입니다",
    "Japanese": "おはようございます",
    "Georgian": "დილა მშვიდობისა",
    "Armenian": "Բարի լույս",
    "Tamil": "காலை வணக்கம்",
    "Emoji": "👋🏽☀️👨‍👩‍👧‍👦",
}


class Scripts(SingleTurnEnv):
    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Which language is this: {text}? One word.", "answer": name} for name, text in GREETINGS.items()
        ]

    @reward
    def right(self, completion, answer):
        said = unicodedata.normalize("NFKC", answer_text(completion)).casefold().strip()
        return said == answer.casefold()

    def solve(self, row):
        return row["answer"]
