"""Gold in another form than its prompt asks for: dates, times, decimals, lengths, languages."""

from datetime import date, timedelta

import pytest

from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted as allowed
from grpo_env_sdk.checking.teaching.forms.asked_forms import gold_has_the_form_that_is_asked_for as gold_has
from tests.checking.trying import asking, found


def day(n):
    return date(2023, 1, 5) + timedelta(days=13 * n)


@pytest.mark.parametrize(("ask", "gold", "said"), [
    ("Reply as YYYY-MM-DD, not counting today.", lambda n: f"{day(n):%d.%m.%Y}", "'2023-01-05' scores 0"),
    ("Bitte in der Form TT.MM.JJJJ.", lambda n: f"{day(n):%Y-%m-%d}", "'05.01.2023' scores 0"),
    ("As YYYY-MM-DD.", lambda n: f"{day(n):{('%Y-%m-%d', '%d/%m/%Y', '%m/%d/%Y')[n % 3]}}", "another form"),
    ("Au format JJ/MM/AAAA.", lambda n: f"{day(n):%m/%d/%Y}", "'18/01/2023' scores 0"),
    ("Use MM/DD/YYYY.", lambda n: f"{day(n):%d/%m/%Y}", "'01/18/2023' scores 0"),
    ("Answer like 2021-03-04.", lambda n: f"The day is {day(n):%B %d, %Y}", "'The day is 2023-01-05' scores 0"),
    ("Use ISO 8601.", lambda n: f"{day(n):%Y/%m/%d}", "ISO 8601"),
    ("Use %Y%m%d.", lambda n: f"{day(n):%d %b %Y}", "another form") ,
    ("As D Month YYYY.", lambda n: f"{day(n):%Y%m%d}", "'5 January 2023' scores 0"),
    ("As day month year.", lambda n: f"{day(n):%Y%m%d}", "'5 January 2023' scores 0"),
    ("As day/month/year.", lambda n: f"{day(n):%Y-%m-%d}", "'5/1/2023' scores 0"),
    ("At what hour, as HH:MM?", lambda n: f"{n % 12 + 1}:05 pm", "'13:05' scores 0"),
    ("At what hour, as HH:MM?", lambda n: f"{n % 9 + 1}:05", "'01:05' scores 0"),
    ("Give the time with AM or PM.", lambda n: f"{n:02}:05", "12:05"),
    ("It leaves at 13:05. Use a 12-hour clock, like 4:20 pm.", lambda n: f"{n:02}:05", "12:05"),
    ("Answer with the four digits of the code.", lambda n: str(90 * n + 35), "'0035' scores 0"),
    ("Give its five-digit number alone.", lambda n: str(2000 * n + 35), "'00035' scores 0"),
    ("To two decimals.", lambda n: f"{n / 2:.1f}", "'0.00' scores 0"),
    ("Round to two decimals.", lambda n: f"{(n + 1) / 7}", "'0.14' scores 0"),
    ("Bitte auf zwei Nachkommastellen.", lambda n: f"{(n + 1) / 7:.4f}".replace(".", ","), "'0,14' scores 0"),
    ("Round to the nearest whole number.", lambda n: f"{n / 7:.1f}", "'0' scores 0"),
])  # fmt: skip
def test_gold_in_another_form_is_named_where_the_asked_one_is_refused(ask, gold, said):
    (finding,) = found(gold_has, asking(lambda n, rng: (f"Case {n}. {ask}", gold(n)), 20))
    assert finding.severity == "error"
    assert said in finding.message or said in str(finding.expected) or "20230105" in finding.message


@pytest.mark.parametrize(("ask", "gold", "asked"), [
    ("Summarise it in at most 5 words.", "six words are too many, {}", "at most 5 words"),
    ("Answer in one sentence.", "This is {}. It is a number. It is not the last.", "in one sentence"),
    ("Answer in one word.", "It is {}.", "in one word"),
    ("Answer in English.", "это число {}", "in English"),
    ("日本語で答えてください。", "The number is {}.", "日本語で"),
    ("Translate it to Greek.", "The number is {}.", "to Greek"),
])  # fmt: skip
def test_gold_that_breaks_a_length_or_a_language_is_named(ask, gold, asked):
    (finding,) = found(gold_has, asking(lambda n, rng: (f"Case {n}. {ask}", gold.format(n)), 20))
    assert asked in finding.message


@pytest.mark.parametrize(("ask", "gold"), [
    ("It is 05.01.2023 in the form DD.MM.YYYY; give YYYY-MM-DD.", lambda n: f"{day(n):%Y-%m-%d}"),
    ("What time is it, as H:MM on a 12-hour clock?", lambda n: f"{n % 12 + 1}:05"),
    ("Use a 12-hour clock, such as 7:05.", lambda n: f"{n % 12 + 1}:{n + 10}"),
    ("How many days are from 2023-01-05 to 2023-02-01 (YYYY-MM-DD)?", lambda n: str(n + 3)),
    ("Prices have two decimals. How many can you buy?", lambda n: str(n)),
    ("Say a word that differs from the one before in exactly one letter.", lambda n: f"ball{n}"),
    ("Write the line again after changing at most two words.", lambda n: f"three words are more than two {n}"),
    ("What is 12 times that? Answer with at most four digits.", lambda n: str(700 * n + 35)),
    ("Multiply it by a two-digit number and write the result.", lambda n: str(7 * n + 5)),
    ("Give the sum of its three digits.", lambda n: str(80 * n + 5)),
    ("Give at most three decimals.", lambda n: f"{n}.1234"),
    ("Write from two to eight words of letters, among them the thing in one word.", lambda n: f"a late parcel {n}"),
    ("The report has at most 5 words. Write a longer one.", lambda n: f"these are more words than five, {n}"),
    ("Think in one sentence, then answer.", lambda n: f"It is one. It is {n}. So it ends. Well."),
    ("Answer in one word.", lambda n: f"Answer: word{n}"),
    ("Write it in Japanese romaji.", lambda n: f"sore wa {n} desu"),
    ("Start with one word and give a reason.", lambda n: f"Yes, because it is {n}"),
    ("Answer with one line 'thing,count' for each thing.", lambda n: f"jam,{n}\ntea,{n + 1}"),
    ("In English and in Russian.", lambda n: f"это число {n}"),
    ("At what hour, as HH:MM?", lambda n: f"{n:02}:05"),
    ("Answer as Day Month Year.", lambda n: f"{day(n):%-d %B %Y}"),
    ("Answer as DAY MONTH YEAR.", lambda n: f"{day(n):%-d %b %Y}"),
    ("Answer as month day, year.", lambda n: f"{day(n):%B %-d, %Y}"),
    ("Answer as Month/Day/Year.", lambda n: f"{day(n):%m/%d/%Y}"),
    ("Give its day, month, year.", lambda n: f"{day(n):%-d %B %Y}"),
    ("Its version is like 1.10.200.", lambda n: f"{day(n):%d.%m.%Y}"),
])  # fmt: skip
def test_gold_as_the_prompt_allows_it_is_let_alone(ask, gold):
    assert found(gold_has, asking(lambda n, rng: (f"Case {n}. {ask}", gold(n)), 20)) == []


def test_gold_in_another_form_is_let_alone_where_both_are_right():
    class Both(asking(lambda n, rng: (f"Case {n}: YYYY-MM-DD?", f"{day(n):%d.%m.%Y}"), 20)):
        def score_episode(self, model, tokenizer, completion, wanted):
            return float(completion == wanted or completion == "-".join(reversed(wanted.split("."))))

    assert found(gold_has, Both) == []


@pytest.mark.parametrize(("ask", "shown", "gold", "said"), [
    ("Give the number exactly as it is written in the text.", "Area: {:,} ha", "{}", "'1,304' scores 0"),
    ("Copy the code verbatim.", "code AB-{}-C", "ab{}c", "'AB-1304-C' scores 0"),
    ("Write the name as it is printed on the page.", "Mill-Road {}", "mill road {}", "'Mill-Road 1304' scores 0"),
])  # fmt: skip
def test_a_copy_that_is_refused_is_named(ask, shown, gold, said):
    numbers = [1304 + 97 * n for n in range(20)]
    (finding,) = found(
        gold_has, asking(lambda n, rng: (f"{shown.format(numbers[n])}. {ask}", gold.format(numbers[n])), 20)
    )
    assert finding.severity == "error"
    assert said in finding.message


@pytest.mark.parametrize(("ask", "shown", "gold"), [
    ("Give the number exactly as it is written in the text.", "Area: {:,} ha", "{:,}"),
    ("Give the number in digits alone, without commas.", "Area: {:,} ha", "{}"),
    ("Count it exactly, as it is hard.", "Area: {:,} ha", "{}"),
    ("Give the area, exactly as shown in the example: 'Area: 12'.", "An area of {} ha", "Area: {}"),
])  # fmt: skip
def test_a_copy_that_counts_and_what_is_no_copy_are_let_alone(ask, shown, gold):
    numbers = [1304 + 97 * n for n in range(20)]
    assert (
        found(gold_has, asking(lambda n, rng: (f"{shown.format(numbers[n])}. {ask}", gold.format(numbers[n])), 20))
        == []
    )


WIDE = str.maketrans("0123456789", "\uff10\uff11\uff12\uff13\uff14\uff15\uff16\uff17\uff18\uff19")
ARABIC = str.maketrans("0123456789", "".join(map(chr, range(0x660, 0x66A))))


@pytest.mark.parametrize(("prompt", "gold", "form", "severity"), [
    ("問{}", lambda n: str(n + 7).translate(WIDE), "digits 0 to 9", "error"),
    ("{} + 7", lambda n: str(n + 7).translate(ARABIC), "digits 0 to 9", "error"),
    ("Pages of {}?", lambda n: f"{n}\u2013{n + 4}", "marks of a keyboard", "error"),
    ("Title {}?", lambda n: f"don\u2019t, {n}", "marks of a keyboard", "error"),
    ("Price {}?", lambda n: f"{n}\u00a0EUR", "marks of a keyboard", "error"),
    ("Who is {}?", lambda n: f"Tom &amp; Ada {n}", "as it is read", "error"),
    ("Wer ist {}?", lambda n: f"J\u00c3\u00bcrgen {n}", "as it is read", "error"),
    ("Nom {}?", lambda n: f"e\u0301tude{n}", "composed letters", "error"),
    ("Nom {}, with accents and hyphens?", lambda n: f"e\u0301-{n}", r"'e\u0301-0' (decomposed) 1", "error"),
    ("Nom {}?", lambda n: f"e\u0301-{n}", r"it reads the same: '\xe9-0' (composed) scores 0", "error"),
])  # fmt: skip
def test_gold_in_other_characters_alone_is_named(prompt, gold, form, severity):
    (finding,) = found(allowed, asking(lambda n, rng: (prompt.format(n), gold(n)), 12))
    assert form in finding.message
    assert finding.severity == severity


@pytest.mark.parametrize(("prompt", "gold"), [
    ("Write {} in full-width digits.", lambda n: str(n + 7).translate(WIDE)),
    ("Copy the title: don\u2019t, {}", lambda n: f"don\u2019t, {n}"),
    ("What is {} + 7?", lambda n: str(n + 7)),
    ("Copy Tom &amp; Ada {}", lambda n: f"Tom &amp; Ada {n}"),
    ("Qui est {} ?", lambda n: f"Ren\u00e9e {n}"),
    ("Decompose the letters of ren\u00e9e {}", lambda n: f"rene\u0301e {n}"),
    ("\u0915\u094d\u092f\u093e {}?", lambda n: f"\u0958{n}"),
])  # fmt: skip
def test_characters_that_a_prompt_names_or_has_are_let_alone(prompt, gold):
    assert found(allowed, asking(lambda n, rng: (prompt.format(n), gold(n)), 12)) == []


@pytest.mark.parametrize(("ask", "form"), [
    ("Do not explain. Write it in capitals.", "in capitals"),
    ("Name b, a and c, one per line. There is no limit.", "one value per line"),
])  # fmt: skip
def test_a_no_in_another_sentence_does_not_rule_a_form_out(ask, form):
    gold = "word" if "capitals" in form else "b, a, c"
    (finding,) = found(allowed, asking(lambda n, rng: (f"Case {n}: {ask}", f"{gold}{'abcdefghijkl'[n]}"), 12))
    assert form in finding.message
