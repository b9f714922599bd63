"""Patterns that are wrong on some of the texts that they should tell apart."""

import re
from fnmatch import fnmatchcase

import pytest

from grpo_env_sdk import SingleTurnEnv, answer_text, reward
from grpo_env_sdk.checking.evidence.attempts.wrong_patterns import WAYS, TwoLists, as_a_file_name, as_a_whole
from grpo_env_sdk.checking.teaching.wrong_answers.listed_texts import patterns_tell_all_texts_apart as check
from tests.checking.trying import found
from tests.gallery.broken.further_codes_dropped import CODES, Codes
from tests.gallery.broken.not_all_forbidden import Shelves


class Short(Shelves):
    """At most 16 characters, so that no pattern names all texts."""

    def tells(self, pattern, good, bad):
        return len(pattern.pattern) <= 16 and super().tells(pattern, good, bad)


class AnyWanted(Shelves):
    """One text that matches is enough."""

    def tells(self, pattern, good, bad):
        return any(pattern.fullmatch(one) for one in good) and not any(pattern.fullmatch(one) for one in bad)


class InTags(Shelves):
    """Lists that only the prompt has, and a pattern in tags."""

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(None)
        return [{"prompt": row["prompt"], "pattern": row["pattern"], "n": n} for n, row in enumerate(rows)]

    @reward
    def right(self, completion, n):
        row, hit = super().build_dataset(None)[n], re.fullmatch(r"<re>(.{1,90})</re>", answer_text(completion))
        try:
            return bool(hit) and self.tells(re.compile(hit[1]), row["good"], row["bad"])
        except re.error:
            return 0.0

    def solve(self, row):
        return f"<re>{row['pattern']}</re>"


class Exact(Shelves):
    def tells(self, pattern, good, bad):
        return all(pattern.fullmatch(one) for one in good) and not any(pattern.fullmatch(one) for one in bad)


class ExactInTags(InTags):
    tells = Exact.tells


class Searched(Shelves):
    """Patterns that are searched for, with gold that has its ends."""

    def tells(self, pattern, good, bad):
        return all(pattern.search(one) for one in good) and not any(pattern.search(one) for one in bad)

    def solve(self, row):
        return f"^(?:{row['pattern']})$"


class MostOf(Shelves):
    """The prompt wants most of the texts."""

    def build_dataset(self, tokenizer):
        return [{**row, "prompt": row["prompt"] + " Most of them is enough."} for row in super().build_dataset(None)]


class Files(SingleTurnEnv):
    """Patterns of file names; one forbidden name that is refused is enough."""

    every = staticmethod(all)
    NAMES = (
        ("*.py", ["a.py", "run.py"], ["a.pyc", "b.txt", "py"]),
        ("log-??.txt", ["log-01.txt", "log-22.txt"], ["log-1.txt", "log-abc.txt", "old.md"]),
        ("data*", ["data", "data-1"], ["my-data", "dat", "raw"]),
        ("[ab]*.csv", ["a1.csv", "b.csv"], ["c1.csv", "a1.tsv", "x"]),
    )

    def build_dataset(self, tokenizer):
        asked = "A pattern of file names for {} and not for {}."
        return [{"prompt": asked.format(good, bad), "good": good, "bad": bad, "glob": g} for g, good, bad in self.NAMES]

    @reward
    def right(self, completion, good, bad):
        text = answer_text(completion)
        return all(fnmatchcase(one, text) for one in good) and not self.every(fnmatchcase(one, text) for one in bad)

    def solve(self, row):
        return row["glob"]


class ExactFiles(Files):
    every = staticmethod(any)


class FurtherCodes(Codes):
    """Sound: answers are tried on all codes."""

    def tried(self, kind, codes):
        return next(right.split() for one, _, right, _ in CODES if one == kind)


class NoneBesideThese(Codes):
    """Sound: no other codes are promised, or only those that are to be refused."""

    promise = "The codes that are shown are all that there are."

    def build_dataset(self, tokenizer):
        rows = super().build_dataset(None)
        return [
            row | {"prompt": row["prompt"].replace("It is tested on further codes too.", self.promise)} for row in rows
        ]


class OtherCodesRefused(NoneBesideThese):
    promise = "It must not match hidden codes of other kinds."


@pytest.mark.parametrize("cls", [Shelves, Short, InTags, Files])
def test_patterns_that_match_some_forbidden_texts_are_found(cls):
    (finding,) = found(check, cls)
    assert finding.severity == "error"
    assert "matches some texts which it should not" in finding.message


def test_patterns_that_miss_some_texts_are_found():
    (finding,) = found(check, AnyWanted)
    assert "misses some texts which it should match" in finding.message


def test_patterns_that_list_the_shown_texts_alone_are_found_where_others_are_promised():
    (finding,) = found(check, Codes)
    assert "lists the texts of the prompt, which promises others, still earns full reward on 5 of 5" in finding.message
    assert "(?:A1|C22)" in finding.message


@pytest.mark.parametrize(
    "cls", [FurtherCodes, NoneBesideThese, OtherCodesRefused, Exact, ExactInTags, Searched, MostOf, ExactFiles]
)
def test_patterns_that_have_to_tell_all_texts_apart_are_not_reported(cls):
    assert not found(check, cls)


def test_wrong_patterns_are_wrong_in_each_way_to_read_them():
    lists = TwoLists(["a1", "b2"], ["a", "c3x", "1"], WAYS).told_apart_by(r"[a-c]\d")
    assert lists is not None
    assert list(lists.ways) == [as_a_whole]
    for pattern in lists.matching_too_many():
        assert all(re.fullmatch(pattern, one) for one in lists.wanted)
        assert 0 < sum(re.fullmatch(pattern, one) is not None for one in lists.unwanted) < 3
    assert "a1" in lists.matching_too_few()
    names = TwoLists(["x.py", "y.py"], ["x.txt", "py"], WAYS).told_apart_by("*.py")
    assert names is not None
    assert list(names.ways) == [as_a_file_name]
    assert TwoLists(["x", "y"], ["z", "u"], WAYS).told_apart_by("(") is None
