"""A check of a plugin that breaks is told of the plugin, and of nothing else."""

import pytest

from grpo_env_sdk.checking.check import all_checks, selected
from grpo_env_sdk.checking.runner.sequence import in_sequence, in_turn
from grpo_env_sdk.errors import GrpoEnvWarning

BROKEN = {
    'raise RuntimeError("no such thing")\n    yield': "itself failed: RuntimeError: no such thing (/",
    'yield Finding("x", severity="fatal")': "no report can show: severity='fatal'",
    "yield Finding(5)": "no report can show: message=5",
    'yield "a finding"': "it yielded 'a finding'",
    "yield Table('t', ['a'], [[1, 2]])": "it yielded a Table that no report can show",
    "return None": "TypeError",
    "os._exit(7)\n    yield": "ended with exit code 7",
}


def checks(*bodies):
    return "\n".join(
        f'@check("S90{n}", needs=("rows",))\ndef check_{n}(subject):\n    "It is broken."\n    {body}\n'
        for n, body in enumerate(bodies)
    )


def test_a_check_that_breaks_is_a_warning_that_names_its_plugin(plugin_checks, tested):
    plugin_checks(checks(*BROKEN))
    report = tested("from sums import Sums as Broken", "S90")
    told = {finding.check: finding for finding in report.findings}
    for n, text in enumerate(BROKEN.values()):
        assert told[f"S90{n}"].severity == "warning"
        assert f"The check S90{n} of the plugin more-checks:more " in told[f"S90{n}"].message
        assert text in told[f"S90{n}"].message
    assert (len(told), report.verdict) == (len(BROKEN), "sound")
    assert (report.failed(), report.failed(strict=True)) == (False, True)


def test_what_the_check_of_a_plugin_does_to_the_process_is_not_told_of_the_environment(plugin_checks, tested):
    plugin_checks(checks("os.chdir('/')\n    yield from ()"))
    assert tested("from sums import Sums as Broken", "S900", "E305").findings == []


@pytest.mark.parametrize("ordered", [in_sequence, lambda known: [check.id for check in in_turn(known)]])
def test_checks_of_plugins_run_after_all_others_but_those_with_time_of_their_own(plugin_checks, ordered):
    source = checks("yield from ()") + checks("yield from ()").replace("check_0", "long").replace("S900", "C901")
    plugin_checks(source.replace('"C901"', '"C901", seconds=9'))
    ids = ordered(selected(["C", "S", "E"], ["C190"]))
    assert ids[-2:] == ["S900", "C901"]
    assert all_checks()["S900"].plugin == "more-checks:more"


def test_no_check_of_the_sdk_has_an_id_of_plugins_and_a_plugin_that_takes_one_of_the_sdk_is_told_which_are_free(
    plugin_checks,
):
    assert not [item.id for item in all_checks().values() if item.id[1] == "9" and not item.plugin]
    plugin_checks(checks("yield").replace("S900", "S201"))
    with pytest.warns(GrpoEnvWarning, match=r"adds a check S201, but that id is taken\. Ids from 900 to 999"):
        all_checks()
