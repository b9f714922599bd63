"""The customer of one episode: says the lines of the row, one per turn, and then leaves."""

from dataclasses import dataclass

REMINDER = "So what is it now? Please do it, or tell me that you cannot."


@dataclass(slots=True)
class Customer:
    """Answers each message of the agent, and reminds the agent once before leaving."""

    lines: list[str]
    said: int = 0
    reminded: bool = False

    @property
    def settled(self) -> bool:
        """Whether they have said all their lines."""
        return self.said == len(self.lines)

    def reply(self) -> str | None:
        """What they say next; None if they leave."""
        if not self.settled:
            self.said += 1
            return self.lines[self.said - 1]
        if self.reminded:
            return None
        self.reminded = True
        return REMINDER
