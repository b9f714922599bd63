"""What Ray prints while a run goes on."""

from types import SimpleNamespace

from grpo_env_ray.spoken import notes, speak_on_stderr

DEAD = (
    "The node with node id: 5b55 and address: 10.0.0.2 and node name: worker has been marked dead because the detector "
    "has missed too many heartbeats from it. This can happen when a \t(1) raylet crashes unexpectedly (OOM, etc.) \n"
    "\t(2) raylet has lagging heartbeats due to slow network or busy workload."
)
LOG = "Raylet is terminated. Termination is unexpected. Last 20 lines of the Raylet logs:\n    [state-dump] NodeManager"


def test_of_a_node_that_is_lost_one_line_is_left():
    (line,) = notes([LOG, DEAD])
    assert "10.0.0.2 is lost" in line


def test_of_another_message_the_first_line_is_left():
    assert [*notes(["2 workers were killed: memory runs low.\n" + "more\n" * 30, ""])] == [
        "note: Ray says: 2 workers were killed: memory runs low."
    ]


def test_nothing_goes_to_stdout_and_what_environments_print_stays_as_it_is(capsys):
    shown = []
    worker = SimpleNamespace(print_to_stdstream=lambda data, ignore_prefix: shown.append((data, ignore_prefix)))
    speak_on_stderr(worker)
    worker.print_to_stdstream({"lines": [LOG, DEAD], "pid": "raylet", "is_err": False}, ignore_prefix=False)
    worker.print_to_stdstream({"lines": ["scoring 1"], "pid": 7, "is_err": False}, ignore_prefix=True)
    out, told = capsys.readouterr()
    assert out == ""
    assert told.count("\n") == 1
    assert shown == [({"lines": ["scoring 1"], "pid": 7, "is_err": True}, True)]
