"""The customer of one episode: says what the row has them say, one line a turn, and then leaves."""

from dataclasses import dataclass

REMINDER = "So what is it now? Please do it, or tell me that you cannot."


@dataclass(slots=True)
class Customer:
    """Answers each message of the agent; patient once."""

    lines: list[str]
    said: int = 0
    reminded: bool = False

    @property
    def settled(self) -> bool:
        """Whether they have said all that they had to say."""
        return self.said == len(self.lines)

    def reply(self) -> str:
        """What they say next, which is nothing where they leave."""
        if not self.settled:
            self.said += 1
            return self.lines[self.said - 1]
        if self.reminded:
            return ""
        self.reminded = True
        return REMINDER
