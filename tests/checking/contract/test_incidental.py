"""Numbers, codes, names and options beside a text that give its answer away; what a task is about is let alone."""

import base64
import codecs

import pytest

from grpo_env_sdk.checking.contract.encoded_answers import answers_are_not_in_another_writing
from grpo_env_sdk.checking.contract.incidental import what_is_beside_the_text_tells_nothing
from grpo_env_sdk.checking.contract.missing_options import the_right_option_is_among_the_options
from tests.checking.trying import asking, found

STORIES = {
    "sport": ("The striker scored", "The race was won", "The coach left"),
    "science": ("The probe landed", "A star was seen", "The lab closed"),
    "politics": ("The senate voted", "A minister left", "The treaty ended"),
}
TOWNS = ("Lima", "Rome", "Oslo", "Cairo", "Paris", "Quito", "Tunis", "Delhi", "Seoul", "Accra", "Hanoi", "Doha")
NAMES = ("Ada", "Bea", "Cid", "Dan", "Eva", "Fay", "Gus", "Hal", "Ida", "Jan", "Kai", "Leo")


def story(rng):
    topic = rng.choice(sorted(STORIES))
    return topic, sorted(STORIES).index(topic), rng.choice(STORIES[topic])


def beside(write):
    """An environment that asks for the topic of a story, with `write(rng, place, story)` as its prompt."""

    def asked(n, rng):
        topic, place, text = story(rng)
        return f"{write(rng, place, text)} Topic?", topic

    return asking(asked, 120)


@pytest.mark.parametrize(("named", "write"), [
    ("number", lambda rng, place, text: f"[{rng.randrange(24):02}:{20 * place + rng.randrange(20):02}] {text}."),
    ("number", lambda rng, place, text: f"Page {10 * place + rng.randrange(10)}: {text}."),
    ("modulo", lambda rng, place, text: f"Case {3 * rng.randrange(300) + place}. {text}."),
    ("link or code", lambda rng, place, text: f"www.x.org/{'abc'[place]}/{rng.randrange(10**6)} {text}."),
    ("name", lambda rng, place, text: f"By {rng.choice(NAMES[4 * place : 4 * place + 4])}: {text}."),
])  # fmt: skip
def test_what_is_beside_the_text_and_tells_its_answer_is_named(named, write):
    (finding,) = found(what_is_beside_the_text_tells_nothing, beside(write), "default")
    assert named in finding.message.lower()
    assert "of 120 rows" in finding.message


@pytest.mark.parametrize("cls", [
    beside(lambda rng, place, text: f"[{rng.randrange(24):02}:{rng.randrange(60):02}] {rng.choice(NAMES)}: {text}."),
    asking(lambda n, rng: (f"Is {(number := rng.randrange(900))} even?", "no" if number % 2 else "yes"), 80),
    asking(lambda n, rng: (f"Is a room of {(m := rng.randrange(5, 60))} m2 small?", "yes" if m < 30 else "no"), 80),
    asking(lambda n, rng: (f"{(name := rng.choice(NAMES))} is here. Before M?", "yes" if name < "F" else "no"), 80),
])  # fmt: skip
def test_what_the_task_is_about_or_draws_independently_is_let_alone(cls):
    assert found(what_is_beside_the_text_tells_nothing, cls, "default") == []


@pytest.mark.parametrize(("named", "write"), [
    ("base64", lambda n, word: base64.b64encode(f"{n}:{word}".encode()).decode()),
    ("shifted", lambda n, word: codecs.encode(word, "rot13")),
    ("backwards", lambda n, word: f"({word[::-1]})"),
    ("hexadecimal", lambda n, word: word.encode().hex()),
])  # fmt: skip
def test_an_answer_in_another_writing_is_named(named, write):
    def asked(n, rng):
        word = TOWNS[n % len(TOWNS)].lower()
        return f"Item {n} ({write(n, word)}): which town is meant by {rng.randrange(999)}?", word

    (finding,) = found(answers_are_not_in_another_writing, asking(asked), "default")
    assert named in finding.message


def test_another_writing_is_let_alone_where_it_is_the_task():
    cls = asking(lambda n, rng: (f"Write {TOWNS[n % len(TOWNS)][::-1]} backwards.", TOWNS[n % len(TOWNS)]))
    assert found(answers_are_not_in_another_writing, cls, "default") == []


def listing(wrong, with_right):
    """Prompts with four towns to choose from: some of `wrong`, and the right one where `with_right(n)`."""

    def asked(n, rng):
        right = TOWNS[n % len(TOWNS)]
        options = rng.sample([town for town in wrong if town != right], 4)
        if with_right(n):
            options[rng.randrange(4)] = right
        return f"Which town is number {n}: {', '.join(options)}?", right

    return asking(asked, 60)


def test_rows_whose_options_lack_the_right_one_are_named():
    (finding,) = found(the_right_option_is_among_the_options, listing(TOWNS, lambda n: n % 3 == 0), "default")
    assert "20 of 60 prompts" in finding.message


def test_wrong_options_that_are_never_right_are_named():
    never = ("Newtown", "Hillview", "Riverside", "Springfield", "Oakland")
    (finding,) = found(the_right_option_is_among_the_options, listing(never, lambda n: True), "default")
    assert finding.severity == "warning"
    assert "never right" in finding.message


def test_options_of_other_rows_with_the_right_one_are_let_alone():
    assert found(the_right_option_is_among_the_options, listing(TOWNS, lambda n: True), "default") == []


def lettered(said=""):
    """Products with four options; on every fifth row none of them is right, and gold is E."""

    def write(n, rng):
        right = (n + 3) * 7
        options = [right + extra for extra in rng.sample([-9, -4, 5, 8, 11], 4)]
        if n % 5:
            options[n % 4] = right
        listed = "  ".join(f"{mark}) {one}" for mark, one in zip("ABCD", options, strict=True))
        return f"What is 7 x {n + 3}? {listed} {said}", "ABCD"[n % 4] if n % 5 else "E"

    return asking(write, 40)


def test_a_letter_that_no_option_has_is_named_unless_the_prompt_says_what_it_means():
    (finding,) = found(the_right_option_is_among_the_options, lettered(), "default")
    assert "Gold is the letter of an option that 8 of 40 prompts do not have: 'E'" in finding.message
    assert found(the_right_option_is_among_the_options, lettered("Reply E if none is right."), "default") == []
