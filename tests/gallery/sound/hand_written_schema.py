"""A plain class that runs its tools through `call_tool`, keeps state, and is copied for each episode."""

from grpo_env_sdk import call_message


def _schema(name, description, **properties):
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"type": "function", "function": {"name": name, "description": description, "parameters": parameters}}


class Thermostat:
    """Set every room of a house to the temperature that is asked for."""

    max_turns = 4

    def __init__(self):
        self.rooms = {}

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": [{"role": "user", "content": f"Set the {room} to {degrees} degrees."}],
                "room": room,
                "degrees": degrees,
            }
            for room in ("kitchen", "hall", "study", "attic")
            for degrees in range(15, 25, 2)
        ]

    def get_tools(self):
        room = {"type": "string", "description": "The name of the room."}
        degrees = {"type": "integer", "description": "Degrees Celsius.", "minimum": 5, "maximum": 30}
        return [
            _schema("set_temperature", "Set a room to a temperature.", room=room, degrees=degrees),
            _schema("read_temperature", "What a room is set to.", room=room),
        ]

    def call_tool(self, name, arguments):
        if name == "set_temperature":
            self.rooms[arguments["room"]] = arguments["degrees"]
        return {"room": arguments["room"], "degrees": self.rooms.get(arguments["room"], 18)}

    def score_episode(self, model, tokenizer, completion, room, degrees):
        return float(self.rooms == {room: degrees})

    def solve(self, row):
        return [call_message("set_temperature", room=row["room"], degrees=row["degrees"]), "Done."]
