"""C146: tables in which several records have the most, of which one is paid."""

import pytest

from grpo_env_sdk.checking.contract.equal_options import the_right_option_is_there_once as once
from grpo_env_sdk.checking.evidence.prompts.shown_tables import tables_in
from tests.checking.trying import asking, found

NAMES = ["Ada", "Bela", "Cleo", "Dina", "Egon", "Finn"]


def as_lines(people, unit=" points"):
    return "\n".join(f"- {name}: {points}{unit}" for name, points, _ in people)


def as_csv(people):
    return "\n".join(["name,points,age", *(",".join(map(str, person)) for person in people)])


def as_markdown(people):
    return "\n".join(["| name | points | age |", "|:--|--:|--:|", *(f"| {n} | {p} | {a} |" for n, p, a in people)])


def best_of(rng, write, question="Who has the most points?", best=max, ties=True):
    """A table of people whose points may be the same; the first of the best is gold."""
    drawn = [rng.randrange(3, 8) for _ in range(5)] if ties else rng.sample(range(3, 30), 5)
    people = list(zip(rng.sample(NAMES, 5), drawn, rng.sample(range(20, 60), 5), strict=True))
    right = next(name for name, points, _ in people if points == best(drawn))
    return f"{write(people)}\n{question} Answer with a name.", right


def in_a_sentence(people):
    return f"At the table sit {', '.join(f'{name}: {points} kg' for name, points, _ in people)}."


def with_a_verb(people):
    first, *others = [f"{name} has {points} points" for name, points, _ in people]
    return f"On a day in May {', '.join([first, *others[:-1]])} and {others[-1]}."


NOBODY_LESS = "Name somebody who has no more than any other."

WRONG = {
    "lines": lambda n, rng: best_of(rng, as_lines),
    "a table in Markdown": lambda n, rng: best_of(rng, as_markdown),
    "a table with commas": lambda n, rng: best_of(rng, as_csv, "Who has the fewest points?", min),
    "amounts": lambda n, rng: best_of(rng, lambda people: as_lines(people, " \u20ac"), "Who paid the least?", min),
    "a sentence": lambda n, rng: best_of(rng, in_a_sentence, "Who has the most?"),
    "a sentence with a verb": lambda n, rng: best_of(rng, with_a_verb),
    "a comparative": lambda n, rng: best_of(rng, in_a_sentence, NOBODY_LESS, min),
}


def any_of_the_best(n, rng):
    """Who of the best is right is drawn, as if something else in the prompt told it."""
    prompt, right = best_of(rng, in_a_sentence, NOBODY_LESS, min)
    least = [
        name for name, points in tables_in(prompt)[0].records if points == dict(tables_in(prompt)[0].records)[right]
    ]
    return prompt, rng.choice(least)


SOUND = {
    "a comparative and no ties": lambda n, rng: best_of(rng, in_a_sentence, NOBODY_LESS, min, ties=False),
    "a comparative and a queue": lambda n, rng: best_of(rng, in_a_sentence, f"They queued up. {NOBODY_LESS}", min),
    "a comparative, and anyone of the best": any_of_the_best,
    "no ties": lambda n, rng: best_of(rng, as_csv, ties=False),
    "a rule for ties": lambda n, rng: best_of(rng, as_csv, "Who has the most points? In a tie, take the first."),
    "who was sooner": lambda n, rng: best_of(rng, as_csv, "The most points win; of those that match, who was sooner."),
    "a casting vote": lambda n, rng: best_of(rng, as_csv, "Who has the most points? Else the chair decides."),
    "a comparative in a condition": lambda n, rng: best_of(
        rng, in_a_sentence, "A figure counts only if it is higher than those before. Whose counts?"
    ),
    "two columns": lambda n, rng: best_of(rng, as_csv, "Who has the most points for their age?"),
    "no superlative": lambda n, rng: best_of(rng, as_lines, "Who is meant?"),
    "not the best": lambda n, rng: best_of(rng, as_lines, "Who has the most?", lambda drawn: sorted(drawn)[-2]),
}


@pytest.mark.parametrize("kind", WRONG)
def test_the_other_best_records_that_are_refused_are_an_error(kind):
    (finding,) = found(once, asking(WRONG[kind]))
    assert "tables have several records that are the best one" in finding.message
    assert (finding.severity, finding.output, finding.expected) == ("error", 0.0, 1.0)


@pytest.mark.parametrize("kind", SOUND)
def test_tables_without_ties_or_with_a_rule_for_them_are_let_be(kind):
    assert found(once, asking(SOUND[kind])) == []


def test_a_scorer_that_takes_each_of_the_best_is_let_be():
    class Any(asking(WRONG["lines"])):
        def build_dataset(self, tokenizer):
            return [{**row, "shown": row["prompt"]} for row in super().build_dataset(tokenizer)]

        def score_episode(self, model, tokenizer, completion, wanted, shown):
            points = dict(tables_in(shown)[0].records)
            return float(points.get(completion) == points[wanted])

    assert found(once, Any) == []


def test_tables_are_read_with_their_names_and_figures():
    table = tables_in("Prices:\ntea, $1,200 per kilo\nrye; 2")
    assert table == []
    (table,) = tables_in("Sales\nname;sold\nAda;3\nBela;$1,200.50\nCleo;7 kg\nWho?")
    assert (table.names, table.figures(0), table.figures(1)) == (("name", "sold"), [], [3.0, 1200.5, 7.0])
    assert table.around == "Sales\nWho?"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("On a tray are B1: 3 g, C2: 4 g, and D3: 3 g.", ("B1", "C2", "D3")),
        ("In all Al Bo has 3 goals, Cy Do has 4 goals and Ed Fy has 3 goals. Who?", ("Al Bo", "Cy Do", "Ed Fy")),
        ("Al (3), Bo (4), Cy (3)", ("Al", "Bo", "Cy")),
        ("Bolt 4: 13 g; bolt 5: 12 g; bolt 6: 12 g", ("Bolt 4", "bolt 5", "bolt 6")),
        ("Al has 3 pears, Bo has 4 figs, Cy has 3 pears", ()),
        ("Al: 3 kg and 4 m, Bo: 3 kg and 5 m, Cy: 4 kg and 2 m", ()),
        ("Al: 3 kg, Bo: 4 kg", ()),
    ],
)
def test_names_with_figures_in_one_unit_are_read_from_sentences(text, names):
    assert tuple(name for table in tables_in(text) for name, _ in table.records) == names
