"""C179: numbers with groups of three digits that gold takes for other numbers, and such numbers that it reads."""

import re

import pytest

from grpo_env_sdk.checking.contract.grouped_numbers import groups_of_digits_are_thousands as right
from tests.checking.trying import asking, found

LITRES = [250, 500, 62.5, 750, 1250, 1500, 1750, 125, 2500, 12400]
ENGLISH = "The tank of house {n} holds {litres} litres and is filled in {hours} hours. How many litres an hour is that?"
GERMAN = "{room}Ein Becken fasst {litres} l und läuft in {hours} h voll, wie viele Liter je h sind das?"
MORE = "{room}Una vasca contiene {litres} l. Lo sconto è del 2,5 %. Si riempie in {hours} h: quanti litri in un h?"


def grouped(number, comma=False):
    text = f"{number:,g}" if number % 1 else f"{number:,.0f}"
    return text.translate(str.maketrans(",.", ".,")) if comma else text


def rates(read, text=ENGLISH, comma=False, form="{:.1f}"):
    """What flows in an hour; `read(litres, as they are written)`."""

    def row(n, rng):
        litres, hours = LITRES[n % len(LITRES)], n % 7 + 2
        shown = grouped(litres, comma)
        prompt = text.format(n=n + 3, litres=shown, hours=hours, room=f"In Haus {n}: " if n % 2 else "")
        answer = form.format(read(litres, shown) / hours)
        return prompt, answer.replace(".", ",") if comma else answer

    return asking(row, 40)


def whole(litres, shown):
    return litres


def point_is_decimal(litres, shown):
    return float(shown.replace(",", "."))


def behind(litres, shown):
    return float(re.search(r"[\d.]+$", shown)[0])


def before(litres, shown):
    return float(re.match(r"[\d.]+", shown)[0])


def rods(n, rng):
    metres = n % 5 + 2 + (n / 1000 if n % 2 else 0)
    count = n % 3 + 11
    return f"Ein Stab ist {metres:.3f} m lang, {count} davon?".replace(".000", ""), f"{metres * count:.1f}"


WRONG = {
    "the digits behind the comma": rates(behind),
    "the digits before the comma": rates(before),
    "a comma as a point": rates(point_is_decimal),
    "a point as in English": rates(point_is_decimal, GERMAN, comma=True),
    "with other numbers on some rows": rates(point_is_decimal, MORE, comma=True),
}
NAMED = "Weights have a decimal comma. A crate weighs {} kg, how many kg are {} crates?"


def crates(n, rng):
    prompt, answer = rods(n, rng)
    metres, count = prompt.split()[3], prompt.split()[6]
    return NAMED.format(metres.replace(".", ","), count), answer


SOUND = {
    "a comma that is named as that of decimals": asking(crates),
    "whole numbers": rates(whole),
    "whole numbers with points": rates(whole, GERMAN, comma=True),
    "another rule for large ones": rates(lambda litres, shown: min(litres, 1000)),
    "what may have three decimals": asking(rods),
}


@pytest.mark.parametrize("env", WRONG.values(), ids=WRONG)
def test_numbers_with_groups_that_are_misread_are_an_error(env):
    (finding,) = found(right, env)
    assert finding.severity == "error"
    assert "refused" in finding.message
    assert "as if" in finding.message


@pytest.mark.parametrize("env", SOUND.values(), ids=SOUND)
def test_numbers_that_are_read_or_may_be_others_are_let_be(env):
    assert found(right, env) == []
