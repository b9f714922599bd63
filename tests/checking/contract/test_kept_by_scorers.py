"""Scorers that draw, read the date or remember, by their source; and those that only look so."""

import asyncio
import datetime
import random

import pytest

from grpo_env_sdk.checking.contract.kept_by_scorers import scores_do_not_draw_or_remember as steady
from tests.checking.trying import asking, found

SEEN = set()
LOG = []
PRICES = {"tea": 3, "milk": 1}


def looked_at(text):
    return random.choice(text or "-")


def drawn(self, model, tokenizer, completion, wanted):
    return float(looked_at(completion) in wanted)


def of_the_system(self, model, tokenizer, completion, wanted):
    return float(completion == wanted and random.SystemRandom().random() < 0.9)


def remembered(self, model, tokenizer, completion, wanted):
    new = completion not in SEEN
    SEEN.add(completion)
    return float(new and completion == wanted)


def counted(self, model, tokenizer, completion, wanted):
    self.count = getattr(self, "count", 0)
    self.total += 1
    return float(completion == wanted) / self.total


def today(self, model, tokenizer, completion, wanted):
    return float(completion == wanted or datetime.date.today().year > 2090)


def seeded(self, model, tokenizer, completion, wanted):
    return float(random.Random(wanted).choice(completion or "-") in wanted)


def logged(self, model, tokenizer, completion, wanted):
    LOG.append(completion)
    if len(LOG) % 100 == 0:
        print(len(LOG), "answers")
    return float(completion == wanted)


def cached(self, model, tokenizer, completion, wanted):
    key = (completion, wanted)
    if key not in PRICES:
        PRICES[key] = float(completion == wanted)
    return PRICES[key]


def cached_by_text(self, model, tokenizer, completion, wanted):
    text = completion.strip()
    if text not in PRICES:
        PRICES[text] = float(text == wanted)
    return PRICES[text]


def judged(text, wanted):
    if (known := PRICES.get(text)) is None:
        known = PRICES[text] = float(text == wanted)
    return known


def cached_in_a_function(self, model, tokenizer, completion, wanted):
    return judged(completion.strip(), wanted)


def cached_by_row(self, model, tokenizer, completion, wanted):
    if wanted not in PRICES:
        PRICES[wanted] = float(completion.strip() == wanted)
    return PRICES[wanted]


def returned_early(self, model, tokenizer, completion, wanted, case_idx):
    text = completion.strip()
    known = self.verdicts.get(case_idx)
    if known is not None:
        return known
    self.verdicts[case_idx] = verdict = float(text == wanted)
    return verdict


async def asked_once(self, model, tokenizer, completion, wanted, case_idx):
    if case_idx in self.verdicts:
        verdict = self.verdicts[case_idx]
    else:
        verdict = self.verdicts[case_idx] = await asyncio.to_thread(completion.__eq__, wanted)
    return float(verdict)


def verdict_on(number, said, wanted):
    if (known := PRICES.get(number)) is None:
        known = PRICES[number] = float(said == wanted)
    return known


def cached_by_row_in_a_function(self, model, tokenizer, completion, wanted, case_idx):
    return verdict_on(case_idx, completion.strip(), wanted)


def same_answer_again(self, model, tokenizer, completion, wanted, case_idx):
    if case_idx in self.verdicts and self.verdicts[case_idx][0] == completion:
        return self.verdicts[case_idx][1]
    self.verdicts[case_idx] = (completion, float(completion == wanted))
    return self.verdicts[case_idx][1]


def same_text_again(self, model, tokenizer, completion, wanted, case_idx):
    kept = self.verdicts.get(case_idx)
    if kept is not None:
        text, verdict = kept
        if text == completion:
            return verdict
    verdict = float(completion == wanted)
    self.verdicts[case_idx] = (completion, verdict)
    return verdict


def first_answers_shown(self, model, tokenizer, completion, wanted, case_idx):
    right = float(completion == wanted)
    if case_idx not in self.verdicts:
        self.verdicts[case_idx] = completion
        print(self.verdicts[case_idx])
    return right


def worked_out_once(self, model, tokenizer, completion, wanted, case_idx):
    if case_idx not in self.verdicts:
        self.verdicts[case_idx] = wanted.strip()
    return float(completion == self.verdicts[case_idx])


def expected_of(number, wanted):
    if number not in PRICES:
        PRICES[number] = wanted.strip()
    return PRICES[number]


def expected_in_a_function(self, model, tokenizer, completion, wanted, case_idx):
    return float(completion == expected_of(case_idx, wanted))


def parsed(self, model, tokenizer, completion, wanted):
    if completion not in PRICES:
        PRICES[completion] = completion.strip().casefold()
    return float(PRICES[completion] == wanted)


def begun_anew(self, model, tokenizer, completion, wanted):
    self.words = []
    self.words.append(completion)
    return float(self.words == [wanted])


def compared(self, completion):
    return float(completion == self.answer)


async def mixed_up_in_a_method(self, model, tokenizer, completion, wanted):
    number = int(wanted)
    self.answer = str(number)
    text = await asyncio.to_thread(completion.strip)
    return self.compared(text)


async def before_it_awaits(self, model, tokenizer, completion, wanted):
    self.answer = wanted
    right = self.compared(completion)
    await asyncio.sleep(0)
    return right


async def locked(self, model, tokenizer, completion, wanted):
    async with asyncio.Lock():
        self.answer = wanted
        await asyncio.sleep(0)
        return self.compared(completion)


async def with_a_client(self, model, tokenizer, completion, wanted):
    self.answer = str(self.total)
    await asyncio.sleep(0)
    return float(completion == wanted + self.answer[:0])


def env_with(score, **attributes):
    return type("Scored", (asking(lambda n, rng: (f"{n}?", str(n))),), {"score_episode": score, **attributes})


@pytest.mark.parametrize(("score", "word"), [
    (drawn, "chance"), (of_the_system, "chance"), (remembered, "SEEN"), (counted, "self.total"), (today, "today"),
    (cached_by_text, "by text alone"), (cached_in_a_function, "wanted of the row"),
    *((score, "The first answer decides for all") for score in (
        cached_by_row, returned_early, asked_once, cached_by_row_in_a_function
    )),
    (mixed_up_in_a_method, "sets self.answer and awaits, and compared reads it"),
])  # fmt: skip
def test_a_scorer_that_draws_or_remembers_is_named(score, word):
    (finding,) = found(steady, env_with(score, total=0, verdicts={}, compared=compared))
    assert word in finding.message


@pytest.mark.parametrize("score", [
    seeded, logged, cached, parsed, begun_anew, before_it_awaits, locked, with_a_client, same_answer_again,
    same_text_again, first_answers_shown, worked_out_once, expected_in_a_function,
])  # fmt: skip
def test_a_scorer_that_gives_the_same_again_is_let_alone(score):
    assert found(steady, env_with(score, total=0, verdicts={}, compared=compared)) == []
