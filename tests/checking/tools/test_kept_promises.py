"""What the description of a tool promises of its replies: an order, and how many there are."""

import random

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.tools.keeping_promises import replies_keep_what_descriptions_promise
from tests.checking.trying import found

PORTS = ["Cork", "Faro", "Hull", "Oslo", "Riga", "Brest", "Malta", "Turku"]


class Ferries(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rng, rows = random.Random(6), []
        for port in PORTS:
            fares, fees = rng.sample(range(20, 200), 6), rng.sample(range(1, 90), 6)
            months = rng.sample(range(1, 13), 6)
            ships = [
                {"ship": f"{port}-{n}", "fare": fare, "fee": fee, "built": f"{1990 + n}-{month:02}-11"}
                for n, (fare, fee, month) in enumerate(zip(fares, fees, months, strict=True))
            ]
            rng.shuffle(ships)
            prompt = f"Which ship from {port} is the best for us? Answer with its name."
            rows.append({"prompt": prompt, "port": port, "ships": ships, "wanted": ships[2]["ship"]})
        return rows

    @reward
    def right(self, messages, wanted):
        return answer_text(messages).strip() == wanted

    def solve(self, row):
        return [call_message("look", port=row["port"]), row["wanted"]]


def ferries(text, show):
    """An environment whose tool says `text` and lists `show(ships)` of a port."""

    def look(self, port: str):
        return show(self.row["ships"]) if port == self.row["port"] else []

    look.__doc__ = f"{text}\n\nArgs:\n    port: The port.\n"
    return type("Said", (Ferries,), {"look": tool(look), "__module__": __name__})


def by(*names, down=False):
    return lambda ships: sorted(ships, key=lambda one: [one[name] for name in names], reverse=down)


def less(*names):
    """Without some fields, sorted by the name of the ship."""
    return lambda ships: [
        {key: value for key, value in one.items() if key not in names} for one in by("ship")(ships[:4])
    ]


def in_lines(ships):
    return "\n".join(f"{one['ship']}: {one['fare']} euros" for one in by("ship", down=True)(ships))


def fares_with_sign(ships):
    return [{"ship": one["ship"], "price": f"€{one['fare']}.50"} for one in by("ship")(ships)]


def by_the_sum(ships):
    return sorted(ships, key=lambda one: one["fare"] + one["fee"])


def fares_only(ships):
    return [one["fare"] for one in by("ship")(ships)]


@pytest.mark.parametrize(
    ("text", "show", "severity"),
    [
        ("List the four cheapest ships, the cheapest first.", less("built"), "error"),
        ("The ships of a port, from cheapest to dearest.", by("ship"), "error"),
        ("The ships of a port, newest first.", by("built"), "error"),
        ("List ships, sorted by fare in descending order.", by("fare"), "error"),
        ("List the ships ordered by fare.", by("ship"), "warning"),
        ("List the ships, the lowest fare first.", by("fare", down=True), "error"),
        ("Show the ships, cheapest first.", in_lines, "error"),
        ("Show the ships, cheapest first.", fares_with_sign, "error"),
        ("The fares from a port, the smallest first.", fares_only, "error"),
    ],
)
def test_another_order_than_the_description_says_is_found(text, show, severity):
    (finding,) = found(replies_keep_what_descriptions_promise, ferries(text=text, show=show))
    assert "look says" in finding.message
    assert "its replies are in another order" in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize(
    ("text", "show"),
    [
        ("List the ships, the cheapest first.", by("fare")),
        ("List the ships, the cheapest first.", by_the_sum),
        ("The ships of a port, newest first.", by("built", down=True)),
        ("The ships of a port, oldest first.", less("built")),
        ("List the ships ordered by fare.", by("fare", down=True)),
        ("List the ships by day, then the cheapest first.", by("built", "fare")),
        ("List the ships, the closest match first.", by("ship")),
        ("List ships. Ask for the cheapest, and book it first.", by("ship")),
        ("List the ships of a port.", by("ship")),
        ("List the ships, the cheapest first.", lambda ships: by("ship")(ships)[:2]),
    ],
)
def test_the_order_that_is_said_and_no_said_order_are_no_finding(text, show):
    assert found(replies_keep_what_descriptions_promise, ferries(text=text, show=show)) == []


@pytest.mark.parametrize(
    "text", ["List at most four ships.", "List the 3 cheapest ships.", "Ask for ships, and get at most 5 results."]
)
def test_more_than_the_description_says_is_found(text):
    (finding,) = found(replies_keep_what_descriptions_promise, ferries(text=text, show=lambda ships: ships))
    assert "and lists more in 8 of 8 replies, such as 6 in row" in finding.message
    assert finding.severity == "warning"


@pytest.mark.parametrize(
    "text", ["List at most six ships.", "List the ships for up to 4 travellers.", "Book 2 ships.", "List 9 ships."]
)
def test_as_many_as_the_description_says_are_no_finding(text):
    assert found(replies_keep_what_descriptions_promise, ferries(text=text, show=lambda ships: ships)) == []
