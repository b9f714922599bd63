"""Lists whose items stand apart by a sign that no prompt mentions, or that some prompt does."""

import pytest

from grpo_env_sdk.checking.teaching.forms.allowed_forms import forms_that_a_prompt_allows_are_accepted
from grpo_env_sdk.checking.teaching.forms.frames import the_form_that_decides_is_asked_for as asked_for
from tests.checking.trying import asking, found


def listing(between, said=""):
    def write(n, rng):
        found = [str(one) for one in range(10 + n, 49 + n) if one % 13 == 0]
        return f"List all multiples of 13 from {10 + n} to {48 + n}.{said}", between.join(found)

    return asking(write)


@pytest.mark.parametrize("between", ["; ", "|", ","])
def test_a_sign_between_items_that_no_prompt_mentions_is_an_error(between):
    (finding,) = found(asked_for, listing(between))
    assert "no prompt shows" in finding.message


@pytest.mark.parametrize(("between", "said"), [
    ("; ", " Separate them by semicolons."), ("|", " Write them as 1|2|3."), (", ", ""), (",", " Put no spaces in."),
])  # fmt: skip
def test_a_sign_that_is_usual_or_asked_for_is_let_alone(between, said):
    assert found(asked_for, listing(between, said)) == []


def test_separators_of_thousands_are_no_list():
    assert found(asked_for, asking(lambda n, rng: (f"What is 1000 times {n + 3}?", f"{(n + 3) * 1000:,}"))) == []


@pytest.mark.parametrize("total", ["{:,}", "{}"])
def test_a_comma_before_cents_stands_between_no_values(total):
    def write(n, rng):
        whole = total.format(1234 + n).replace(",", ".")
        point = " with a point between thousands and" if "." in whole else " with"
        return f"Add 1.234,50 and {n},25. Write the sum{point} a comma before the cents.", f"{whole},75"

    assert found(forms_that_a_prompt_allows_are_accepted, asking(write, 12), "default") == []
