"""A clock that is ahead, in a process of its own."""

import subprocess
import sys

import pytest

SHIFTED = """
import time
before = time.time()
from grpo_env_sdk.checking.evidence.processes.later_clock import LATER, shift_clock
shift_clock()
import datetime
{code}
"""


def done(code):
    said = subprocess.run([sys.executable, "-c", SHIFTED.format(code=code)], capture_output=True, text=True)
    assert said.returncode == 0, said.stderr
    return said.stdout.split()


def test_all_that_tells_the_time_is_ahead_and_instances_are_as_before():
    code = """
now = [time.time(), datetime.datetime.now().timestamp(), datetime.datetime.now(datetime.UTC).timestamp()]
assert all(LATER <= one - before < LATER + 60 for one in now)
told = [time.mktime(time.localtime()), time.time_ns() / 1e9, time.mktime(time.strptime(time.ctime()))]
assert all(LATER - 1 <= one - before < LATER + 60 for one in told)
assert time.strftime("%Y") == str(time.localtime().tm_year)
assert (time.gmtime(0).tm_year, time.strftime("%Y", time.gmtime(0))) == (1970, "1970")
assert (datetime.date.today() - datetime.datetime.fromtimestamp(before).date()).days >= 400
assert isinstance(datetime.datetime.strptime("2020", "%Y"), datetime.date)
print("ahead")
"""
    assert done(code) == ["ahead"]


@pytest.mark.parametrize("package", ["datasets", "pandas"])
def test_packages_that_need_the_real_classes_are_imported_late_and_the_clock_stays_ahead(package):
    code = f"""
from {package} import __version__
import pandas
assert datetime.datetime.now().timestamp() - before >= LATER
print(pandas.Timestamp(datetime.datetime(2020, 1, 31)).isoformat())
"""
    assert done(code) == ["2020-01-31T00:00:00"]
