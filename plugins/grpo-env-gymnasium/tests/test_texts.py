"""What is made of docstrings and of screens."""

from grpo_env_gymnasium.manual import manual_of
from grpo_env_gymnasium.screen import plain


class Documented:
    """Walk the dog. See [the book](https://example.org/dog).

    ## Description
    The dog pulls.<a id="x"></a>

    ## Action Space
    | Num | Action |
    |-----|--------|
    | 0   | Stay   |
    | 1   | `Go`   |

    ## Observation Space
    | 0 | Length of the leash | 0 | 5 |

    ## Arguments
    leash=5

    ## Rewards:
    - 1: a metre
    """


def test_the_rules_are_what_a_player_needs():
    manual = manual_of(Documented, with_observations=False)
    assert manual.rules == "Walk the dog. See the book.\n\nThe dog pulls.\n\n- 1: a metre"
    assert manual.actions == ("Stay", "Go")
    assert manual.observations == ("Length of the leash",)
    assert "leash" in manual_of(Documented, with_observations=True).rules


def test_a_long_manual_is_cut_at_a_paragraph():
    class Long:
        __doc__ = "\n\n".join(f"{number} " + "word " * 50 for number in range(99))

    rules = manual_of(Long, with_observations=True).rules
    assert 2500 < len(rules) <= 3000
    assert rules.rstrip().endswith("word")


def test_a_class_without_a_docstring_has_no_rules():
    assert manual_of(type("Silent", (), {}), with_observations=True).rules == ""


def test_colours_become_brackets_and_nothing_else_of_the_terminal_remains():
    assert plain("  (Down)\n\x1b[41mS\x1b[0mFF\n") == "  (Down)\n[S]FF"
    assert plain("\x1b[34;1m\x1b[43mR\x1b[0m\x1b[0m:\x1b[35mB\x1b[0m\x1b[42m_\x1b[0m") == "([R]):{B}<_>"
    assert plain("\x1b[2J\x1b[Hmap\x07") == "map"
