"""How long `make test` takes, and what takes longest in it, beside what it was in one process."""

import os
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

from tests.benchmarks.table import Table

ROOT = Path(__file__).parents[2]
SHOWN = 30
BEFORE = """
12.8 test_docs: a_page_does_what_it_shows[docs/test.md]
10.9 test_docs: a_page_does_what_it_shows[docs/packaging.md]
8.7 test_docs: a_page_does_what_it_shows[docs/train.md]
8.5 test_docs: a_page_does_what_it_shows[docs/plain-class.md]
8.0 test_docs: a_page_does_what_it_shows[docs/which-example.md]
7.0 test_interrupting: ctrl_c_saves_and_a_resumed_training_logs_the_numbers_of_one_that_went_on[True]
6.8 test_threads: a_process_full_of_threads_is_left_for_a_new_one_and_nothing_but_the_leak_is_told
6.5 test_isolation: a_check_that_takes_long_is_no_fault_of_the_environment
6.4 test_interrupting: killed_at_random_moments_a_resumed_run_has_every_episode_once
6.1 test_docs: a_page_does_what_it_shows[docs/use-elsewhere.md]
6.1 test_interrupting: ctrl_c_saves_and_a_resumed_training_logs_the_numbers_of_one_that_went_on[False]
5.7 test_docs: a_page_does_what_it_shows[docs/errors.md]
5.7 test_tools: a_mistake_is_found[check15-Sleeps-warning-fruits takes 1.1 s on this call; ]
5.7 test_docs: a_page_does_what_it_shows[docs/own-trl-script.md]
5.5 test_learning: a_training_whose_time_is_up_ends_after_its_step_and_is_measured_all_the_same
4.7 test_checks: a_mistake_is_found_by_the_checks_meant_for_it[endless_patience]
4.5 test_isolation: it_ends_when_the_time_for_all_is_up
4.5 test_isolation: a_second_build_that_is_cut_off_is_slow_and_not_proven_to_hang
4.5 test_commands: eval_writes_a_run_that_every_command_takes
4.3 test_docs: a_page_does_what_it_shows[docs/index.md]
4.2 test_working: after_an_answer_that_hangs_no_other_is_begun
3.9 test_interrupting: a_full_disk_leaves_the_last_whole_checkpoint_and_is_one_line
3.8 test_interrupting: once_keeps_what_is_done_and_says_how_to_go_on[2]
3.7 test_legacy_hotel: it_is_clean_under_test_in_its_folder
3.7 test_score: a_mistake_is_found_and_told[check15-Slow-Scoring takes 0.0.* s an answer, one after another]
3.5 test_score: a_sound_environment_is_left_alone[AsyncJudge]
3.5 test_checks: a_mistake_is_found_by_the_checks_meant_for_it[address_pattern]
3.5 test_stage: threads_end_with_the_trainer_that_needed_them
3.4 test_interrupting: once_keeps_what_is_done_and_says_how_to_go_on[15]
3.4 test_score: a_sound_environment_is_left_alone[RightClaim]
"""
"""Seconds and test, when all ran in one process: 14.8 minutes, 880 CPU seconds."""
FIXED_WORK = "import json; [json.loads(json.dumps(sorted(range(n, 0, -1), key=str))) for n in range(4_000)]"
"""Shows how quick the processors of this hour are: on a rented machine that differs by half."""


def measure() -> Table:
    """Run the whole suite; its slowest tests, beside those of before."""
    before_it = _fixed_work()
    started, used = time.perf_counter(), _cpu_seconds()
    words = ["make", "test", f"ARGS=-q --durations={SHOWN} --durations-min=0"]
    done = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    minutes, cpu = (time.perf_counter() - started) / 60, _cpu_seconds() - used
    assert done.returncode == 0, done.stdout
    after_it = _fixed_work()
    found = re.findall(r"^([\d.]+)s (?:call|setup|teardown) +(\S+::.*)$", done.stdout, re.MULTILINE)
    now = [(f"{float(seconds):.1f}", short(id)) for seconds, id in found]
    before = [tuple(line.split(" ", 1)) for line in BEFORE.strip().splitlines()]
    return Table(
        "How long the tests take",
        f"`make test` took 14.8 minutes and 880 CPU seconds in one process. On {os.cpu_count()} cores it now takes "
        f"{minutes:.1f} minutes and {cpu:.0f} CPU seconds. To hold: 6 minutes and 650 CPU seconds on two idle cores. "
        f"A fixed piece of work, on each core at once, took {before_it:.2f} CPU seconds before and {after_it:.2f} "
        "after: two runs of this table are to be compared by it. "
        f"The {SHOWN} slowest then and now, in seconds; tests that wait for each other's processors show longer times "
        "than alone. It takes minutes, so `make bench` leaves it out: `python -m tests.benchmarks suite` measures it. "
        "`make test ARGS=--durations=30` prints the list alone.",
        ["s", "before", "s", "now"],
        [[*old, *new] for old, new in zip(before, now, strict=True)],
    )


def short(id: str) -> str:
    """A test's id without its folder, fit for a cell of a table."""
    file, _, name = id.partition("::")
    return f"{Path(file).stem}: {name.removeprefix('test_')}".replace("|", "\\|")


def _fixed_work() -> float:
    """The CPU seconds of the fixed work, with every core at it."""
    used, cores = _cpu_seconds(), os.cpu_count() or 1
    for process in [subprocess.Popen([sys.executable, "-c", FIXED_WORK]) for _ in range(cores)]:
        process.wait()
    return (_cpu_seconds() - used) / cores


def _cpu_seconds() -> float:
    """What processes that this one waited for have used, and theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
