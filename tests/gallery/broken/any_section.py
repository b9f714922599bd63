"""Guests are seated, and nobody compares the section that they asked for."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

GUESTS = ["Alva", "Bram", "Cleo", "Dora", "Egon", "Fenna", "Gitte", "Hugo", "Ines", "Jorn"]
SECTIONS = ["terrace", "gallery", "cellar", "bar"]


class Tables(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for number in range(30):
            guest, section = GUESTS[number % 10], SECTIONS[number * 7 % 4]
            prompt = f"Guest {number + 1} of tonight is {guest}, who wants to sit on the {section} side. Seat {guest}."
            rows.append({"prompt": prompt, "guest": guest, "section": section})
        return rows

    def setup(self, row):
        self.seated = []

    @tool
    def seat(self, guest: str, section: str) -> str:
        """Seat a guest in a section.

        Args:
            guest: The name of the guest.
            section: The section: terrace, gallery, cellar or bar.
        """
        if guest != self.row["guest"] or section not in SECTIONS:
            return "That is not possible."
        self.seated.append((guest, section))
        return f"{guest} sits in the section {section}."

    @reward
    def sits(self, guest, section):
        return [who for who, _ in self.seated] == [guest]

    def solve(self, row):
        return [call_message("seat", guest=row["guest"], section=row["section"]), "Seated."]
