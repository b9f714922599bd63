"""Environments whose tools tell too much, or do not know what they list; `right` mends each of them."""

import random
from typing import Any, ClassVar, Literal

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

NAMES = [f"{one} {two}" for one in ("Ana", "Ben", "Cleo", "Dov", "Eva", "Finn") for two in ("Ruiz", "Sand", "Toth")]


class Scales(ToolEnv):
    """The reply to a wrong total has the right one, and the call may be made again."""

    right = False
    max_turns = 6

    def build_dataset(self, tokenizer: Any) -> Any:
        rng = random.Random(3)
        loads = [[rng.randint(120, 900) for _ in range(3)] for _ in range(12)]
        return [{"prompt": f"Enter the net weight of load L{n + 1}.", "sacks": sacks} for n, sacks in enumerate(loads)]

    def setup(self, row: Any) -> None:
        self.net, self.entered = sum(row["sacks"]) - 30, 0

    @tool
    def weigh(self, sack: int) -> int:
        """Weigh a sack of 10 kg tare.

        Args:
            sack: Its number, 1 to 3.
        """
        return self.row["sacks"][sack - 1] if sack in (1, 2, 3) else 0

    @tool
    def enter(self, kilos: int) -> str:
        """Enter the net weight in kg.

        Args:
            kilos: The net weight.
        """
        self.entered = kilos
        told = "" if self.right else f" The gate measured {self.net}."
        return "Entered." if kilos == self.net else f"Entered {kilos}.{told}"

    @reward
    def agrees(self) -> float:
        return float(self.entered == self.net)


class Menu:
    """A plain class whose menu is numbered from 1, and scored from 0."""

    right = False
    dishes = ("soup", "pie", "salad", "stew", "curry")

    def build_dataset(self, tokenizer: Any) -> Any:
        rng, rows = random.Random(5), []
        for _ in range(24):
            menu = rng.sample(self.dishes, 4)
            listed = "\n".join(f"{place}. {name}" for place, name in enumerate(menu, start=1))
            place = rng.randrange(4)
            prompt = f"Order by one call. The menu:\n{listed}\nI would like the {menu[place]}."
            rows.append({"prompt": [{"role": "user", "content": prompt}], "dish": place + self.right})
        return rows

    def score_episode(self, model: Any, tokenizer: Any, completion: Any, dish: int) -> float:
        calls = [call["function"] for message in completion for call in message.get("tool_calls") or []]
        return float(len(calls) == 1 and calls[0]["arguments"] == {"dish": dish})

    def get_tools(self) -> Any:
        dish = {"type": "integer", "description": "Its number on the menu."}
        parameters = {"type": "object", "properties": {"dish": dish}, "required": ["dish"]}
        return [{"type": "function", "function": {"name": "order", "description": "Order.", "parameters": parameters}}]


class Directory(ToolEnv):
    """The last cards of a directory are in no drawer, so that no search finds them."""

    right = False
    max_turns = 4

    def build_dataset(self, tokenizer: Any) -> Any:
        rooms = random.Random(7).sample(range(100, 999), len(NAMES))
        return [
            {"prompt": f"Which room is {name} in? Only the number.", "name": name, "room": str(room)}
            for name, room in zip(NAMES, rooms, strict=True)
        ]

    @tool
    def search(self, words: str) -> list[str]:
        """Search the directory.

        Args:
            words: Words of a name.
        """
        place = NAMES.index(self.row["name"])
        known = self.right or place < len(NAMES) // 5 * 5
        return [f"{self.row['name']}: room {self.row['room']}"] if known and words == self.row["name"] else []

    @reward
    def room_is_right(self, completion: Any, room: str) -> float:
        return float(answer_text(completion).strip() == room)


class Parcels(ToolEnv):
    """A service of the schema that the table has under another spelling, and that few rows ask for."""

    right = False
    max_turns = 4
    services: ClassVar = ("standard", "express", "overnight")

    def build_dataset(self, tokenizer: Any) -> Any:
        rows = [(kilos, self.services[2 if kilos % 7 == 0 else kilos % 2]) for kilos in range(1, 43)]
        about = "Standard takes days, express two, overnight one."
        return [
            {"prompt": f"{about} Ship {kilos} kg by the {service} service.", "kilos": kilos, "service": service}
            for kilos, service in rows
        ]

    def setup(self, row: Any) -> None:
        self.shipped: list[Any] = []

    @tool
    def ship(self, kilos: int, service: Literal["standard", "express", "overnight"]) -> str:
        """Ship a parcel.

        Args:
            kilos: Its weight.
            service: The service.
        """
        if kilos < 1 or (service == "overnight" and not self.right):
            return "Not possible at the moment."
        self.shipped.append([kilos, service])
        return f"Label {kilos}."

    @reward
    def shipped_right(self, kilos: int, service: str) -> float:
        return float(self.shipped == [[kilos, service]])


class Station(ToolEnv):
    """A report that tools list, and that gold does not open, has the count which gold works out."""

    right = False
    max_turns = 6

    def build_dataset(self, tokenizer: Any) -> Any:
        return [{"prompt": f"How many readings of station {100 + n} are NA?", "station": n} for n in range(24)]

    def setup(self, row: Any) -> None:
        rng = random.Random(row["station"])
        values = ["NA" if rng.random() < 0.4 else "ok" for _ in range(48)]
        self.count = values.count("NA")
        self.files = {"readings.csv": "\n".join(f"{minute:02d},{value}" for minute, value in enumerate(values))}
        if not self.right:
            self.files["build/report.json"] = f'{{"station": {100 + row["station"]}, "missing": {self.count}}}'

    @tool
    def list_files(self) -> list[str]:
        """List the files."""
        return sorted(self.files)

    @tool
    def read_file(self, path: str) -> str:
        """Read a file.

        Args:
            path: Its path.
        """
        return self.files.get(path, f"No such file: {path}")

    @reward
    def counted(self, completion: Any) -> float:
        return float(answer_text(completion).strip() == str(self.count))

    def solve(self, row: Any) -> Any:
        table = (yield call_message("read_file", path="readings.csv"))[-1]["content"]
        yield str(table.count("NA"))
