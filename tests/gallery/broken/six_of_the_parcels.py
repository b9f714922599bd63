"""A depot's tool prints the parcels of a tour, and only the first six of them, though a tour may have more."""

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool

STREETS = ["Elm Road", "Mill Lane", "High Street", "Quay Side", "Park Row", "Abbey Walk", "Forge Hill", "Pond Close"]
SIZES = [4, 9, 6, 11, 8, 5, 7, 10, 12, 6]


class ParcelTour(ToolEnv):
    max_turns = 4

    def build_dataset(self, tokenizer):
        rows = []
        for n, size in enumerate(SIZES):
            grams = [150 + (n * 370 + k * 1213) % 4000 for k in range(size)]
            tour = [{"street": STREETS[(n * 3 + k * 5) % 8], "grams": one} for k, one in enumerate(grams)]
            heavy = sum(parcel["grams"] > 2000 for parcel in tour)
            prompt = (
                f"How many parcels of tour {n + 1} weigh over 2000 grams? Print the tour, and answer with the number."
            )
            rows.append({"prompt": prompt, "tour": tour, "heavy": heavy})
        return rows

    @tool
    def print_tour(self) -> str:
        """The parcels of the tour, each with its street and its weight."""
        return "\n".join(f"{parcel['street']}: {parcel['grams']} g" for parcel in self.row["tour"][:6])

    @reward
    def right(self, completion, heavy):
        return answer_text(completion).strip(" .") == str(heavy)

    def solve(self, row):
        yield call_message("print_tour")
        yield str(row["heavy"])
