"""Searches that show the right page whatever they are asked."""

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.telling.telling import replies_do_not_tell_the_answer
from tests.checking.trying import found

TREES = {
    "Larch": "loses its needles in autumn", "Yew": "has red berries around one seed", "Alder": "grows beside rivers",
    "Rowan": "feeds thrushes in winter", "Aspen": "trembles in the least wind", "Linden": "gives tea from its flowers",
    "Hornbeam": "is cut into hedges", "Elder": "gives syrup from white flowers",
}  # fmt: skip


class Herbarium(ToolEnv):
    """Flawed: the right page is the first hit of every search."""

    def build_dataset(self, tokenizer):
        asked = "Which tree {}? Search the herbarium, and answer with its name alone."
        return [{"prompt": asked.format(text), "tree": tree, "word": text.split()[-1]} for tree, text in TREES.items()]

    @tool
    def search(self, query: str) -> list[str]:
        """Search the pages of the herbarium.

        Args:
            query: Words of a page.
        """
        return self.listed([tree for tree, text in TREES.items() if query.casefold() in text])

    def listed(self, hits):
        first = self.row["tree"]
        return [f"{tree}: {TREES[tree]}" for tree in [first, *(hit for hit in hits if hit != first)]]

    @reward
    def right(self, completion, tree):
        return answer_text(completion) == tree

    def solve(self, row):
        yield call_message("search", query=row["word"])
        yield row["tree"]


class Honest(Herbarium):
    """Sound: what is not found is not shown."""

    def listed(self, hits):
        return [f"{tree}: {TREES[tree]}" for tree in hits]


class AllOfIt(Herbarium):
    """Sound: where nothing is found, all pages are shown."""

    def listed(self, hits):
        return [f"{tree}: {TREES[tree]}" for tree in hits or TREES]


class OnePage(Herbarium):
    """Sound: each row has one page to read, and whatever is asked, it is that."""

    def listed(self, hits):
        return [f"{self.row['tree']}: {TREES[self.row['tree']]}"]


def test_a_search_that_finds_the_right_page_for_nonsense_is_found():
    (finding,) = found(replies_do_not_tell_the_answer, Herbarium, "default")
    assert "'zzqx' finds 'Larch'" in finding.message
    assert "on 8 of 8 rows" in finding.message


@pytest.mark.parametrize("cls", [Honest, AllOfIt, OnePage])
def test_searches_that_find_what_is_there_are_let_be(cls):
    assert not found(replies_do_not_tell_the_answer, cls, "default")
