"""Gold that is not what can be worked out from its prompt, and gold that only looks so."""

import datetime

import pytest

from grpo_env_sdk.checking.contract.second_opinion import gold_is_what_the_prompt_asks_for as right
from grpo_env_sdk.checking.evidence.prompts.opinions import OPINIONS
from tests.checking.trying import asking, found

WORDS = ["mañana", "sol", "niño", "mesa", "pan", "árbol", "casa", "río", "flor", "luna", "café", "gato"]
LISTS = [[(7 * n + 31 * k) % 140 + 1 for k in range(4 + n % 3)] for n in range(40)]


def days(n, rng):
    start = datetime.date(2025, 2, 1) + datetime.timedelta(n)
    end = start + datetime.timedelta(rng.randint(3, 60))
    return start, end, (end - start).days


def said(text, n, rng, more):
    start, end, apart = days(n, rng)
    return f"From {start} to {end}, {text}: how many days is that?", str(apart + more)


def shown(numbers):
    return ", ".join(map(str, numbers))


def phrase(rng):
    return " ".join(rng.choices(WORDS, k=rng.randint(3, 8)))


def counted(n, rng, count, extra=""):
    text = phrase(rng)
    return f"How many words has this text{extra}? «{text}» ({n})", str(count(text))


def names(n, key, asked="in any case", between=", "):
    known = ["Rhine", "de Loire", "Elbe", "von Tiber", "Oder", "al-Nil", "Spree", "Po", "Ebro"]
    some = [f"{known[(n + place * 2) % 9]}{n if place == 1 else ''}" for place in range(4)]
    return f"Put these rivers in alphabetical order, {asked}: {'; '.join(some)}.", between.join(sorted(some, key=key))


WRONG = {
    "capitals first": lambda n, rng: names(n, None, "ignoring upper and lower case"),
    "capitals first, in lines": lambda n, rng: names(n, None, "case-insensitive", "\n"),
    "no capitals first": lambda n, rng: names(n, str.casefold, "case-sensitive, capitals before small letters"),
    "one end": lambda n, rng: said("both days included", n, rng, 0),
    "both ends": lambda n, rng: said("counted in nights", n, rng, 1),
    "as text": lambda n, rng: (f"Sort from smallest to largest: {shown(LISTS[n])}.", shown(sorted(map(str, LISTS[n])))),
    "upper median": lambda n, rng: (
        f"What is the median of {shown(LISTS[n][: 3 + n % 2])}?",
        str(sorted(LISTS[n][: 3 + n % 2])[(3 + n % 2) // 2]),
    ),
    "degrees below zero": lambda n, rng: (f"What are {n - 12} °C in °F?", f"{abs(n - 12) * 1.8 + 32:.1f}"),
    "letters of English": lambda n, rng: counted(n, rng, lambda text: len(text.replace("í", " ").split())),
}  # fmt: skip


@pytest.mark.parametrize("kind", WRONG)
def test_gold_that_is_not_what_its_prompt_asks_for_is_named(kind):
    (finding,) = found(right, asking(WRONG[kind]))
    assert finding.severity == "error"
    assert "rows that ask for" in finding.message


@pytest.mark.parametrize("write", [
    lambda n, rng: said("both days included", n, rng, 1),
    lambda n, rng: said("counted in nights", n, rng, 0),
    lambda n, rng: said("the last day not included", n, rng, 0),
    lambda n, rng: (f"Sort from smallest to largest: {shown(LISTS[n])}.", shown(sorted(LISTS[n]))),
    lambda n, rng: (f"Sort {shown(LISTS[n])} by their last digit.", shown(sorted(LISTS[n], key=lambda one: one % 10))),
    lambda n, rng: names(n, str.casefold, "ignoring case"),
    lambda n, rng: names(n, str.casefold, "not case-sensitive", "\n"),
    lambda n, rng: names(n, None, "capitals before lower case"),
    lambda n, rng: names(n, None, "one in each line", "\n"),
    lambda n, rng: counted(n, rng, lambda text: len(text.split())),
    lambda n, rng: counted(n, rng, lambda text: len(set(text.split())), ", different ones"),
    lambda n, rng: (f"What is 10 / {n + 3}, to two decimals?", f"{10 / (n + 3):.2f}"),
])  # fmt: skip
def test_gold_that_is_right_is_let_alone(write):
    assert found(right, asking(write)) == []


def test_a_scorer_that_takes_both_is_let_alone():
    class Either(asking(WRONG["one end"])):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion in (wanted, str(int(wanted) + 1)))

    assert found(right, Either) == []


def hands(n, smaller, asked="smaller of the two angles"):
    hour, minute = n % 12 + 1, 7 * n % 60
    apart = abs(30 * (hour % 12) + minute / 2 - 6 * minute)
    text = f"A clock shows {hour}:{minute:02d}. What is the {asked} between its hands, in degrees?"
    return text, f"{min(apart, 360 - apart) if smaller else apart:g}"


def courses(n, smaller):
    one, other = 13 * n % 360, 101 * n % 360
    text = f"A ship turns from a heading of {one}° to one of {other}°. What is the smaller angle between them?"
    return text, str(min(abs(one - other), 360 - abs(one - other)) if smaller else abs(one - other))


@pytest.mark.parametrize("of", [hands, courses])
def test_the_larger_angle_where_the_smaller_one_is_asked_for_is_named(of):
    (finding,) = found(right, asking(lambda n, rng: of(n, smaller=False)))
    assert "the smaller angle" in finding.message
    assert found(right, asking(lambda n, rng: of(n, smaller=True))) == []


def test_an_angle_that_may_be_the_larger_one_is_let_be():
    assert found(right, asking(lambda n, rng: hands(n, smaller=False, asked="angle that is shown"))) == []


def intervals(more, words=("later", "later")):
    """Days between two dates about 1900; every eighth row has `more` days, and asks in the second words."""

    def write(n, rng):
        start = datetime.date(1897, 3, 5) + datetime.timedelta(11 * n)
        end = start + datetime.timedelta(40 + rng.randint(0, 400))
        odd = n % 8 == 5
        ask = f"A ship left on {start:%-d %B %Y} and came on {end:%-d %B %Y}. How many days {words[odd]} was that?"
        return ask, str((end - start).days + (more if odd else 0))

    return write


def test_one_day_more_on_some_rows_in_the_same_words_is_named():
    (finding,) = found(right, asking(intervals(1)))
    assert (finding.severity, "wrong on 5 of 40 rows" in finding.message) == ("error", True)


@pytest.mark.parametrize("write", [intervals(1, ("later", "inclusively")), intervals(0)])
def test_one_day_more_that_other_words_may_mean_is_let_be(write):
    assert found(right, asking(write)) == []


def test_days_are_counted_in_other_languages_too():
    def write(n, rng):
        start = datetime.date(1896, 3, 5) + datetime.timedelta(31 * n)
        end = start + datetime.timedelta(150 + n)
        ask = f"Vom {start:%d.%m.%Y} bis zum {end:%d.%m.%Y}: Wie viele Tage liegen dazwischen?"
        return ask, str(150 + n + (start <= datetime.date(1900, 2, 28) < end))

    (finding,) = found(right, asking(write, 60))
    assert "rows that ask for the days between two dates" in finding.message


def test_a_weekday_some_days_from_a_date_is_not_that_of_the_date():
    def write(n, rng):
        day, more = datetime.date(2022, 3, 5) + datetime.timedelta(17 * n), 0 if n % 3 else n + 2
        ask = (
            f"Today is {day:%B %-d, %Y}. What day of the week will it be{f', after a {more}-day jump' if more else ''}?"
        )
        return ask, f"{day + datetime.timedelta(more):%A}"

    assert found(right, asking(write)) == []


@pytest.mark.parametrize("form", ["-( {a} - {b} ) - 3", "{a} * ( ( {b} - 3 ) )", "( {a} - -( ( {b} + 3 ) ) )"])
def test_a_part_of_an_expression_is_not_worked_out_for_the_whole(form):
    def write(n, rng):
        plain = f"{n + 4} + {2 * n + 3}" if n % 3 else form.format(a=n + 5, b=3 * n)
        return f"Calculate {plain}.", str(eval(plain))

    assert found(right, asking(write)) == []


def test_a_list_without_spaces_is_no_number_with_thousands():
    def write(n, rng):
        numbers = [n + 3, n % 5 + 1, 2 * n]
        return f"What is the sum of {(', ' if n % 3 else ',').join(map(str, numbers))}?", str(sum(numbers))

    assert found(right, asking(write)) == []


@pytest.mark.parametrize("ask", [
    "On 5 January 2024 it is 9:75 in Paris. What time is it in Tokyo?",
    "What is the date of the first Monday in January 0000?",
    "What is the date 900 weeks after 5 January 9998?",
])  # fmt: skip
def test_days_and_times_that_do_not_exist_have_no_answer(ask):
    for opinion in OPINIONS:
        assert not opinion.asked.search(ask) or not opinion.readings(ask)


def degrees(text, n, factor, zero):
    size = 3 + 1.5 * n
    return text.format(f"{size:g}"), f"{size * factor + zero:.2f}"


RAISED = "A nurse raises the temperature of an incubator by {} °C. By how many °F, to two decimals?"
WITHIN = "A fridge keeps its temperature within a tolerance of {} °F. How many °C is that, to two decimals?"
WARMER = "The attic is {} degrees Celsius warmer than the cellar. What is that in degrees Fahrenheit, to two decimals?"
KELVINS = "A resistor has a rise in temperature of {} °C. Write this difference in kelvins, to two decimals."


@pytest.mark.parametrize(("text", "factor", "zero"), [
    (RAISED, 1.8, 32), (WITHIN, 5 / 9, -160 / 9), (WARMER, 1.8, 32), (KELVINS, 1, 273.15),
])  # fmt: skip
def test_a_difference_that_is_converted_as_a_temperature_is_named(text, factor, zero):
    (finding,) = found(right, asking(lambda n, rng: degrees(text, n, factor, zero)))
    assert "a difference of temperatures in another unit (as a difference)" in finding.message


@pytest.mark.parametrize(("text", "factor", "zero"), [
    (RAISED, 1.8, 0), (WITHIN, 5 / 9, 0), (KELVINS, 1, 0),
    ("After a fall the milk of the farm is at {} °C. What is that in °F, to two decimals?", 1.8, 32),
    ("In the next step of the recipe the dough is {} °C. What is that in °F, to two decimals?", 1.8, 32),
])  # fmt: skip
def test_differences_and_temperatures_that_are_converted_as_such_are_let_alone(text, factor, zero):
    assert found(right, asking(lambda n, rng: degrees(text, n, factor, zero))) == []


def test_differences_among_temperatures_are_let_alone():
    at = "The incubator of a nurse is at {} °C. How many °F is that, to two decimals?"
    assert found(right, asking(lambda n, rng: degrees(RAISED if n % 3 else at, n, 1.8, 0 if n % 3 else 32))) == []
    mixed = asking(lambda n, rng: degrees(at if n % 3 else RAISED, n, 1.8, 32 if n % 3 else 0))
    assert found(right, mixed) == []
