"""One call is to be written for each request, and only the name of its tool is compared."""

import json
import random

PEOPLE, THINGS = ("Ann", "Bob", "Cleo", "Dan"), ("bill", "trip", "news", "party")
DAYS, EVENTS = ("Monday", "Tuesday", "Friday", "Sunday"), ("dentist", "gym", "lunch", "choir")


def schema(name, *parameters):
    properties = {each: {"type": "string", "description": f"The {each}."} for each in parameters}
    parts = {"type": "object", "properties": properties, "required": [*parameters]}
    return {"type": "function", "function": {"name": name, "description": "Does it.", "parameters": parts}}


class Desk:
    def build_dataset(self, tokenizer):
        rng, rows = random.Random(2), []
        for number in range(60):
            one, other = rng.choice(PEOPLE), rng.choice(THINGS)
            prompt, name, given = f"Mail {one} about the {other}.", "send_mail", {"to": one, "subject": other}
            if number % 2:
                day, title = rng.choice(DAYS), rng.choice(EVENTS)
                prompt, name, given = f"Note {title} for {day}.", "add_event", {"day": day, "title": title}
            asked = [{"role": "user", "content": f"Request {number}: {prompt}"}]
            rows.append({"prompt": asked, "name": name, "given": json.dumps(given)})
        return rows

    def get_tools(self):
        return [schema("send_mail", "to", "subject"), schema("add_event", "day", "title")]

    def score_episode(self, model, tokenizer, completion, name, given):
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        return float(len(calls) == 1 and self.is_right(calls[0], name, json.loads(given)))

    def is_right(self, call, name, given):
        return call["name"] == name

    def solve(self, row):
        function = {"name": row["name"], "arguments": json.loads(row["given"])}
        return [{"role": "assistant", "content": "", "tool_calls": [{"type": "function", "function": function}]}]
