"""Read a long page of a manual and find the torque of a screw in it."""

from grpo_env_sdk import ToolEnv, call_message, reward, tool

PAGES = 8


class Manual(ToolEnv):
    max_turns = 3

    def build_dataset(self, tokenizer):
        return [
            {
                "prompt": f"Which torque does screw {100 * page + n} take, by page {page}? Only the number.",
                "page": page,
                "screw": 100 * page + n,
            }
            for page in range(1, PAGES + 1)
            for n in (12, 47, 83)
        ]

    @tool
    def read_page(self, number: int) -> str:
        """A page of the manual, about 20,000 characters.

        Args:
            number: The number of the page, from 1 to 8.
        """
        if not 1 <= number <= PAGES:
            return f"There is no page {number}."
        screws = range(100 * number, 100 * number + 100)
        filling = "It is to be greased, and looked after once a year. " * 3
        return "\n".join(f"Screw {s} takes {torque(s)} newton metres. {filling}" for s in screws)

    @reward
    def right(self, messages, screw):
        return messages[-1]["content"].strip() == str(torque(screw))

    def solve(self, row):
        answered = yield call_message("read_page", number=row["page"])
        text = answered[-1]["content"]
        yield text.partition(f"Screw {row['screw']} takes ")[2].split()[0]


def torque(screw):
    return 11 + screw * 7 % 83
