"""The tool that files a letter under a shelf mark says, to a wrong last letter, with which one the mark would end."""

from string import ascii_uppercase

from grpo_env_sdk import ToolEnv, answer_text, reward, tool


def last_letter(number):
    """The letter of a sum of digits, each times its place."""
    return ascii_uppercase[sum(int(digit) * place for place, digit in enumerate(number, start=1)) % 26]


class ShelfMarks(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        prompt = (
            "A shelf mark has the number {number} and a letter behind it: each digit times its place, from 1, is added "
            "up, and what is left after a division by 26 is the letter, from A for 0 to Z for 25. The tool parse_mark "
            "shows how the catalogue reads a mark. Reply with the whole mark alone."
        )
        numbers = [str(40_126 + 7_919 * n) for n in range(16)]
        return [{"prompt": prompt.format(number=number), "mark": number + last_letter(number)} for number in numbers]

    @tool
    def parse_mark(self, mark: str) -> str:
        """Read a shelf mark as the catalogue does.

        Args:
            mark: Digits and a letter.
        """
        number, letter = mark[:-1], mark[-1:]
        if not number.isdecimal() or letter not in ascii_uppercase:
            return "No shelf mark: digits and a letter."
        if letter != last_letter(number):
            return f"Number {number}, letter {letter} (the catalogue would have {last_letter(number)})."
        return f"Number {number}, all well."

    @reward
    def right(self, completion, mark):
        return answer_text(completion).strip() == mark

    def solve(self, row):
        return row["mark"]
