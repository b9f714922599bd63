"""The ways to change a gold answer a little, and which of them make it wrong."""

import re
from dataclasses import dataclass

from grpo_env_sdk.checking.teaching.wrong_answers.number_misses import (
    a_little_more,
    cut_at_thousands,
    digit_in_front,
    digits_swapped,
    first_digit,
    hundredfold,
    hundredth,
    last_digit,
    last_digits,
    other_sign,
    plus,
    plus_twelve,
    without_decimal_sign,
)
from grpo_env_sdk.checking.teaching.wrong_answers.text_misses import (
    Change,
    backwards,
    divided_by_zero,
    first_for_all,
    first_of_several,
    last_sign_missing,
    letters_changed,
    of_codes,
    of_numbers,
    of_words,
    one_word,
    other_case,
    other_currency,
    other_digit,
    other_for_dots,
    other_letter,
    other_unit,
    other_vowels,
    second_letter_missing,
    without_signs,
)


@dataclass(frozen=True, slots=True)
class Miss:
    """One way to change an answer; `wrong` if the result is a wrong answer, `whole` if it changes the format too."""

    name: str
    change: Change
    wrong: bool = False
    whole: bool = True


BY_ZERO, OTHER_CASE = "divided by zero", "with capitals for small letters"
A_LITTLE_MORE, FIRST_WORD, LAST_WORD = "plus 6% of it", "cut to its first word", "cut to its last word"
SECOND_LETTER, ONLY_DIGITS = "with its second letter missing", "cut to its digits"
AT_THOUSANDS = "cut at its thousands separator"
ANOTHER_UNIT, UNIT_OF_OTHERS = "with another unit", "with the unit of other answers"
OTHER_DIGIT = "with another last digit"
OTHER_DIRECTION = "with its direction turned about"
FIRST_FOR_ALL = "with its first value in place of all others"
MISSES = (
    Miss("as it is", lambda text: text),
    Miss("with spaces around it", lambda text: f"  {text}  "),
    Miss("with a line break after it", lambda text: f"{text}\n"),
    Miss("with a full stop after it", lambda text: f"{text}."),
    Miss("in capitals", str.upper),
    Miss("in lower case", str.lower),
    Miss("in bold type", lambda text: f"**{text}**"),
    Miss("in quotes", lambda text: f'"{text}"'),
    Miss("after an explanation", lambda text: f"Let me think about what is asked. The answer is: {text}"),
    Miss("before an explanation", lambda text: f"{text}\n\nThat follows from what was asked."),
    Miss("after thinking in tags", lambda text: f"<think>\nLet me see.\n</think>\n\n{text}"),
    Miss("with decimals", of_numbers(lambda text: f"{text}.0" if "." not in text else f"{text}0"), whole=False),
    Miss("with a unit", of_numbers(lambda text: f"{text} units"), whole=False),
    Miss("with the last digit off by one", of_numbers(last_digit), True, False),
    Miss("with the first digit changed", of_numbers(first_digit), True, False),
    Miss("with its sign flipped", of_numbers(other_sign), True, False),
    Miss(
        "with a digit added at its end", of_numbers(lambda text: f"{text}7" if text.isdecimal() else None), True, False
    ),
    Miss("with a digit added in front", of_numbers(digit_in_front), True, False),
    Miss("with two digits swapped", of_numbers(digits_swapped), True, False),
    Miss("cut to its last digits", of_numbers(last_digits), True, False),
    Miss("plus 12", of_numbers(plus_twelve), True, False),
    Miss("plus half of it and 12", of_numbers(plus), True, False),
    Miss(A_LITTLE_MORE, of_numbers(a_little_more), True, False),
    Miss("without its decimal sign", of_numbers(without_decimal_sign), True, False),
    Miss(AT_THOUSANDS, cut_at_thousands, True, False),
    Miss("times a hundred", of_numbers(hundredfold), True, False),
    Miss("divided by a hundred", of_numbers(hundredth), True, False),
    Miss("cut to its first value", first_of_several, True, False),
    Miss(FIRST_FOR_ALL, first_for_all, True),
    Miss(FIRST_WORD, one_word(0), True, False),
    Miss(LAST_WORD, one_word(-1), True, False),
    Miss(ANOTHER_UNIT, other_unit, True),
    Miss("with the sign of another currency", other_currency, True, False),
    Miss(OTHER_CASE, other_case, True),
    Miss("cut to its first letter", of_words(lambda text: text[0]), True, False),
    Miss("with a letter missing", of_words(lambda text: text[:-1]), True, False),
    Miss("with letters added", of_words(lambda text: f"un{text}ish"), True, False),
    Miss("with letters in front", of_words(lambda text: f"un{text}"), True, False),
    Miss("with letters at its end", of_words(lambda text: f"{text}ish"), True, False),
    Miss("cut to its first three letters", of_words(lambda text: text[:3] if len(text) > 4 else None), True, False),
    Miss("with every third letter changed", of_words(letters_changed), True, False),
    Miss("with its letters in another order", of_words(backwards), True, False),
    Miss("with its first letter missing", of_words(lambda text: text[1:]), True, False),
    Miss("cut to its first sign", of_codes(lambda text: text[0]), True, False),
    Miss("with its last sign missing", of_codes(last_sign_missing), True, False),
    Miss("with another first letter", other_letter, True, False),
    Miss(OTHER_DIGIT, other_digit, True, False),
    Miss("with its vowels exchanged", other_vowels, True, False),
    Miss(SECOND_LETTER, of_codes(second_letter_missing), True),
    Miss(ONLY_DIGITS, of_codes(lambda text: re.sub(r"[^\d.,:-]", "", text)), whole=True),
    Miss("with other signs in place of its dots", other_for_dots, True),
    Miss("without its + * ? between letters", without_signs, True, False),
    Miss(BY_ZERO, divided_by_zero, True, False),
    Miss("with 'not' before it", of_words(lambda text: f"not {text}"), True, False),
)
