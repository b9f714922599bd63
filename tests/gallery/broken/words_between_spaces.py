"""Summaries of a dozen words, which are counted between spaces alone."""

from grpo_env_sdk import SingleTurnEnv, answer_text, reward

PLACES = ["the old mill", "the harbour", "the town hall", "the museum", "the school", "the station"]
EVENTS = ["a fire", "a flood", "a wedding", "a concert", "an election", "a robbery"]


class Summaries(SingleTurnEnv):
    """What happened and where, from a long note."""

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": "Summarise this note in at most 12 words; say what happened and where.\n\n"
                f"As several people have told us independently of each other, on the evening of day {place} there was "
                f"{event}, which nobody had expected, at {where}, where many had come together to see it.",
                "event": event,
                "where": where,
            }
            for place, where in enumerate(PLACES)
            for event in EVENTS[place % 2 :: 2]
        ]

    @reward
    def short_and_full(self, completion, event, where):
        text = answer_text(completion)
        return len(text.split(" ")) <= 12 and event in text and where in text

    def solve(self, row):
        return f"There was {row['event']} at {row['where']}."
