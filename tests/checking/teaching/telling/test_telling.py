"""Tools that tell too much, or do not know what they list, found with and without `solve`."""

import pytest

from grpo_env_sdk.checking.check import all_checks
from grpo_env_sdk.checking.findings.finding import Finding
from tests.checking.environments import telling_envs as envs
from tests.checking.trying import found

FAULTS = [
    (envs.Scales, "G519", "enter with a wrong 'kilos' replies with the right one"),
    (envs.Menu, "G526", "A list that the model reads counts 'dish' from 1"),
    (envs.Directory, "G525", "On 3 of 18 rows search does not find what it is asked for"),
    (envs.Parcels, "T422", "rows ask for 'overnight'"),
    (envs.Station, "G519", "read_file(path='build/report.json') holds the answer"),
]


def findings(id, cls):
    return [item for item in found(all_checks()[id], cls) if isinstance(item, Finding)]


@pytest.mark.parametrize(("cls", "id", "said"), FAULTS, ids=[f"{cls.__name__}-{id}" for cls, id, _ in FAULTS])
def test_a_fault_is_named_and_the_same_without_it_is_not(cls, id, said):
    assert any(said in one.message for one in findings(id, cls))
    mended = type(f"Mended{cls.__name__}", (cls,), {"right": True, "__module__": cls.__module__})
    assert findings(id, mended) == []
