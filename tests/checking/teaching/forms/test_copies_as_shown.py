"""Gold that is what a reply or the prompt shows, but for signs that are not seen."""

import unicodedata

import pytest

from grpo_env_sdk import ToolEnv, answer_text, call_message, reward, tool
from grpo_env_sdk.checking.teaching.acts.required_steps import the_change_itself_is_needed as change_needed
from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as allowed
from grpo_env_sdk.checking.teaching.forms.asked_forms import gold_has_the_form_that_is_asked_for as gold_has
from tests.checking.trying import asking, found

SINGERS = ("Renée Müller", "Björk Ásdís", "Ana Núñez", "Tom Reed", "Zoé Lévy", "Kåre Bø", "José Peña", "Léo Roux")


class Choir(ToolEnv):
    """The list of singers has accents as signs of their own."""

    max_turns = 3
    ask = "Who sings part {}? Look it up in the `record` and answer with the name exactly as it is written there."
    form = "NFD"

    def build_dataset(self, tokenizer):
        return [{"prompt": self.ask.format(n), "part": n, "name": name} for n, name in enumerate(SINGERS)]

    @tool
    def record(self, part: int) -> str:
        """The singer of a part."""
        return f"Part {part}: {unicodedata.normalize(self.form, SINGERS[part])}"

    @reward
    def right(self, completion, name):
        return self.read(answer_text(completion)) == name

    def read(self, text):
        return text

    def solve(self, row):
        yield call_message("record", part=row["part"])
        yield row["name"]


class NotAskedToCopy(Choir):
    ask = "Who sings part {}? Look it up and answer with the name."


class Composed(Choir):
    form = "NFC"


class ReadInAnyForm(Choir):
    def read(self, text):
        return unicodedata.normalize("NFC", text)


class ToCompose(Choir):
    """The form is what the task is about."""

    ask = "Look up who sings part {} in the `record`, and answer with the name normalised to NFC."


@pytest.mark.parametrize("cls", [Choir, NotAskedToCopy])
def test_a_refused_copy_in_another_unicode_form_is_named(cls):
    (finding,) = found(gold_has, cls)
    assert finding.severity == "error"
    assert r"'Rene\u0301e Mu\u0308ller' scores 0" in finding.message
    assert found(change_needed, cls) == []


@pytest.mark.parametrize("cls", [Composed, ReadInAnyForm, ToCompose])
def test_copies_that_count_and_tasks_about_forms_are_let_be(cls):
    assert found(gold_has, cls) == []


@pytest.mark.parametrize(("shown", "gold", "severity"), [
    ("The fee is {}\u00a0euros.", "{} euros", "error"),
    ("The title is \u201cGate {}\u201d.", "\"Gate {}\"", "warning"),
    ("Route A\u2013{}\u2013B is closed.", "A-{}-B", "warning"),
])  # fmt: skip
def test_kinds_of_spaces_quotes_and_dashes_are_named(shown, gold, severity):
    def ask(n, rng):
        return f"{shown.format(n + 100)} What does it say?", gold.format(n + 100)

    (finding,) = found(gold_has, asking(ask, 20))
    assert finding.severity == severity
    assert "Gold is not as it is shown on 20 of 20 rows" in finding.message


@pytest.mark.parametrize(("shown", "gold"), [
    ("Replace the curly quotes: the title is \u201cGate {}\u201d.", "\"Gate {}\""),
    ("Write it with hyphens: route A\u2013{}\u2013B is closed.", "A-{}-B"),
    ("The fee is {}\u00a0euros.", "{} dollars"),
])  # fmt: skip
def test_other_answers_than_a_copy_are_let_be(shown, gold):
    assert found(gold_has, asking(lambda n, rng: (shown.format(n + 100), gold.format(n + 100)), 20)) == []


@pytest.mark.parametrize("ask", [
    "How many masts has ship {}? Answer with the whole number in digits.",
    "Answer with an integer: the masts of ship {}.",
    "How many masts has ship {}?",
])  # fmt: skip
def test_whole_numbers_that_are_stored_with_a_decimal_are_named(ask):
    (finding,) = found(gold_has, asking(lambda n, rng: (ask.format(n), f"{n % 5 + 1}.0"), 20))
    assert "'1' scores 0" in finding.message


@pytest.mark.parametrize(("ask", "gold"), [
    ("How many litres are in tank {}? Answer with one decimal.", "{}.0"),
    ("How many litres are in tank {}? Answer like 3.0.", "{}.0"),
    ("How many litres are in tank {}?", "{}"),
    ("How many litres are in tank {}?", "{}.5"),
])  # fmt: skip
def test_numbers_as_they_are_asked_for_are_let_be(ask, gold):
    assert found(gold_has, asking(lambda n, rng: (ask.format(n), gold.format(n % 5 + 1)), 20)) == []


class Invitations(ToolEnv):
    """A call with a name as the list shows it is refused."""

    max_turns = 4
    form = "NFD"

    def build_dataset(self, tokenizer):
        return [
            {"prompt": f"Invite the singer of part {n}.", "name": name, "part": n} for n, name in enumerate(SINGERS)
        ]

    def setup(self, row):
        self.invited = []

    @tool
    def list_singers(self) -> list[str]:
        """List all singers, by their parts."""
        return [unicodedata.normalize(self.form, name) for name in SINGERS]

    @tool
    def invite(self, singer: str) -> str:
        """Invite a singer of the list."""
        self.invited.append(singer)
        return "Invited."

    @reward
    def right(self, name):
        return self.invited == [name]

    def solve(self, row):
        return [call_message("list_singers"), call_message("invite", singer=row["name"]), "Done."]


class ComposedInvitations(Invitations):
    form = "NFC"


class LargeInvitations(Invitations):
    """The list has other letters than the names that are asked for."""

    @tool
    def list_singers(self) -> list[str]:
        """List all singers, by their parts."""
        return [name.upper() for name in SINGERS]


def test_arguments_are_tried_as_replies_show_them():
    (finding,) = found(gold_has, Invitations)
    assert "invite does not take 'singer' as it is shown" in finding.message


@pytest.mark.parametrize("cls", [ComposedInvitations, LargeInvitations])
def test_arguments_in_the_form_of_replies_are_let_be(cls):
    assert found(gold_has, cls) == []


def test_another_case_than_that_of_replies_is_a_warning():
    class Capitals(Choir):
        ask = "Who sings part {}? Look it up and answer with the name."

        @tool
        def record(self, part: int) -> str:
            """The singer of a part."""
            return f"Part {part}: {SINGERS[part].upper()}"

    (finding,) = found(gold_has, Capitals)
    assert finding.severity == "warning"
    assert "Gold is not as it is shown" in finding.message


class Conductor(Choir):
    """Gold has its accents as signs of their own, and no reply shows it so."""

    ask = "Who conducts part {}? Look it up, and answer with the name, its hyphens and accents."

    def build_dataset(self, tokenizer):
        return [{**row, "name": unicodedata.normalize(self.form, row["name"])} for row in super().build_dataset(None)]

    @tool
    def record(self, part: int) -> str:
        """The singer of a part, who conducts it."""
        return f"Part {part}: {SINGERS[part]}"


class ComposedConductor(Conductor):
    form = "NFC"


class ConductorInAnyForm(Conductor):
    def read(self, text):
        return unicodedata.normalize("NFD", text)


class ConductorToDecompose(Conductor):
    ask = "Who conducts part {}? Look it up, and answer with the name normalised to NFD."


def test_composed_answers_that_are_refused_after_calls_are_named():
    (finding,) = found(allowed, Conductor)
    assert finding.severity == "error"
    assert r"'Ren\xe9e M\xfcller' (composed) scores 0" in finding.message
    assert r"'Rene\u0301e Mu\u0308ller' (decomposed) 1" in finding.message


@pytest.mark.parametrize("cls", [ComposedConductor, ConductorInAnyForm, ConductorToDecompose])
def test_composed_answers_that_count_and_tasks_about_forms_are_let_be(cls):
    assert found(allowed, cls) == []
