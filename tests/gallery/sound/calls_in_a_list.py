"""A plain class that runs no tools, and scores the calls of one message by what they say."""

from tests.gallery.broken.calls_kept_by_id import Basket


class Shopping(Basket):
    def score_episode(self, model, tokenizer, completion, wanted):
        calls = [call["function"]["arguments"] for turn in completion for call in turn.get("tool_calls") or ()]
        given = [(one.get("article"), one.get("count")) for one in calls if isinstance(one, dict)]
        return float(sorted(given, key=str) == sorted(((k, v) for k, v in wanted.items() if v), key=str))
