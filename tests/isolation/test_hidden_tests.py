"""Solutions that pass, and tricks that must not: each is run in bubblewrap where it works, and with limits alone."""

import os
import re
import subprocess
import threading
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from grpo_env_sdk.errors import ConfigError, GrpoEnvWarning
from grpo_env_sdk.isolation.sandbox import python_process as sandbox
from grpo_env_sdk.isolation.sandbox.hidden_tests import HiddenTests, script_output
from grpo_env_sdk.isolation.sandbox.python_process import ProcessLimits, use_bubblewrap

NO_BUBBLEWRAP = sandbox._why_no_bubblewrap()
LIMITS = ProcessLimits(seconds=20)
SECRET = "assert secret() == 918273645"

in_bubblewrap = pytest.mark.skipif(bool(NO_BUBBLEWRAP), reason=NO_BUBBLEWRAP or "it works")


@pytest.fixture(params=[pytest.param(True, id="bubblewrap", marks=in_bubblewrap), pytest.param(False, id="limits")])
def bubblewrap(request):
    return request.param


def failures(solution, *tests, bubblewrap, entry_point=None, limits=LIMITS):
    return HiddenTests(tests, entry_point, limits, bubblewrap).failures(solution)


def test_a_right_solution_passes_tests_of_every_form(bubblewrap):
    solution = """
import math
LIMIT = 5
def add(a, b): return a + b
def order(items): items.sort()
def root(x):
    if x < 0: raise ValueError("negative")
    return math.sqrt(x)
class Stack:
    def __init__(self): self.items = []
    def push(self, item): self.items.append(item); return self
    def __len__(self): return len(self.items)
"""
    tests = [
        "assert add(1, 2) == 3\nassert add('a', 'b') == 'ab'\nassert add((1,), (2,)) == (1, 2)",
        "assert add(b'a', b'b') == b'ab'",
        "assert add(2**80, 1) == 2**80 + 1 and add(1j, 1) == 1 + 1j",
        "items = [3, 1, 2]\norder(items)\nassert items == [1, 2, 3]",
        "import math\ndef test_root():\n    assert math.isclose(root(2) ** 2, 2)",
        "try:\n    root(-1)\n    assert False\nexcept ValueError as error:\n    assert str(error) == 'negative'",
        "stack = Stack()\nstack.push(1).push(2)\nassert stack.items == [1, 2] and len(stack) == 2",
        "assert LIMIT == 5",
        "assert [add(n, n) for n in range(LIMIT)] == [0, 2, 4, 6, 8]",
    ]
    assert failures(solution, *tests, bubblewrap=bubblewrap) == {}


def test_humaneval_s_check_gets_the_entry_point(bubblewrap):
    check = "def check(candidate):\n    assert candidate([1, 2]) == 3\n    assert candidate([]) == 0\n"
    assert failures("def total(x): return sum(x)", check, entry_point="total", bubblewrap=bubblewrap) == {}
    assert failures("def total(x): return 3", check, entry_point="total", bubblewrap=bubblewrap).keys() == {0}
    assert "total" in failures("def sum_(x): return 3", check, entry_point="total", bubblewrap=bubblewrap)[0]


def test_a_failed_test_says_why_and_the_others_still_count(bubblewrap):
    tests = ["assert f(1) == 1", "assert f(2) == 3", "assert g(1)", "assert f(4) == 4"]
    found = failures("def f(x): return x", *tests, bubblewrap=bubblewrap)
    assert found.keys() == {1, 2}
    assert "AssertionError" in found[1]
    assert "'g'" in found[2]


TRICKS = {
    "reading what is in its process": """
import gc, os, re, sys
def secret():
    seen = [text for text in gc.get_objects() if isinstance(text, str)]
    seen += [str(vars(module)) for module in list(sys.modules.values())] + sys.argv + [str(os.environ)]
    frame = sys._getframe()
    while frame:
        seen += [str(frame.f_locals), str(frame.f_globals)]
        frame = frame.f_back
    seen += [open(path).read() for path in os.listdir(".") if os.path.isfile(path)]
    found = re.findall(r"secret\\(\\) == (\\d+)", " ".join(seen))
    return int(found[0]) if found else None
""",
    "leaving while it is loaded": "import os\nos._exit(0)",
    "leaving while it is loaded, politely": "raise SystemExit(0)",
    "leaving in the call": "import os\ndef secret(): os._exit(0)",
    "leaving in the call, politely": "def secret(): raise SystemExit(0)",
    "leaving at the end": "import atexit, os\natexit.register(os._exit, 0)\ndef secret(): return 1",
    "an object that equals everything": """
class Anything:
    def __eq__(self, other): return True
    def __hash__(self): return 918273645
def secret(): return Anything()
""",
    "a number that equals everything": """
class Anything(int):
    def __eq__(self, other): return True
    __hash__ = int.__hash__
def secret(): return Anything(1)
""",
    "another assert": """
import builtins, sys
class AssertionError(Exception): pass
builtins.AssertionError = builtins.SystemExit = AssertionError
sys.excepthook = lambda *args: None
def secret(): return 1
""",
    "a result of its own in every channel": """
import os
def secret():
    for descriptor in range(64):
        for line in (b'{"failed": null}\\n', b'{"value": true}\\n', b'{"passed": true}\\n', b'0 failed\\n'):
            try: os.write(descriptor, line)
            except OSError: pass
    return 1
""",
    "other encodings in its channel": """
import json
json.dumps = lambda *args, **kwargs: '{"failed": null}'
def secret(): return 1
""",
    "an answer that breaks the reader": """
import json
json.dumps = lambda *args, **kwargs: '[' * 100_000
def secret(): return 1
""",
    "a patched checker": """
import gc
for thing in gc.get_objects():
    if isinstance(thing, dict) and "encode" in thing and "decode" in thing:
        thing["encode"] = lambda value, other: 918273645 if value == 918273645 else {"bool": 1}
def secret(): return 1
""",
}


@pytest.mark.parametrize("trick", TRICKS)
def test_a_trick_does_not_pass(trick, bubblewrap):
    assert failures(TRICKS[trick], SECRET, bubblewrap=bubblewrap).keys() == {0}


def test_names_that_the_tests_use_themselves_are_not_the_solution_s(bubblewrap):
    solution = """
def abs(x): return 0
def isclose(*args): return True
def all(x): return True
def AssertionError(*args): return None
def f(x): return 7
"""
    tests = [
        "assert abs(f(1) - 2) < 0.1",
        "from math import isclose\nassert isclose(f(1), 2)",
        "assert all(f(x) == x for x in range(3))",
        "def isclose(a, b): return a == b\nassert isclose(f(1), 2)",
    ]
    assert failures(solution, *tests, bubblewrap=bubblewrap).keys() == {0, 1, 2, 3}


def running(marker):
    """The processes whose command line has the marker."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            found += [path.parent.name] * (marker.encode() in path.read_bytes())
        except OSError:
            continue
    return found


def test_no_process_is_left_behind(bubblewrap):
    solution = """
import os, subprocess, sys
def f(marker):
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)", marker], start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, [sys.executable, "-c", "import time; time.sleep(600)", marker])
        os._exit(0)
    return 1
"""
    marker = f"left-behind-{os.getpid()}-{bubblewrap}"
    assert failures(solution, f"assert f({marker!r}) == 1", bubblewrap=bubblewrap) == {}
    assert running(marker) == []


def test_time_memory_disk_and_output_are_limited(bubblewrap, tmp_path):
    solution = """
def hang():
    while True: pass
def grow(): return len('x' * 10**10)
def write(path):
    with open(path, 'wb') as file:
        for _ in range(100): file.write(bytes(10**6))
    return 1
def flood(): return 'x' * 10**8
def right(): return 1
"""
    limits = ProcessLimits(seconds=3, memory_mb=400)
    assert failures(solution, "assert hang()", bubblewrap=bubblewrap, limits=limits).keys() == {0}
    tests = ["assert grow()", "assert write('large')", "assert flood()", "assert right()"]
    found = failures(solution, *tests, bubblewrap=bubblewrap, limits=replace(limits, seconds=60))
    assert found.keys() == {0, 1, 2}
    assert "MemoryError" in found[0]
    assert re.search("OSError|ended", found[1])
    assert "KiB" in found[2]


@in_bubblewrap
def test_in_bubblewrap_there_is_no_network_and_no_file_of_this_machine(tmp_path):
    class Ok(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.end_headers()

        def log_message(self, *args):
            pass

    secret = tmp_path / "tests.txt"
    secret.write_text("918273645")
    server = ThreadingHTTPServer(("127.0.0.1", 0), Ok)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    solution = """
import os, socket
def reach(port):
    try: socket.create_connection(("127.0.0.1", port), 5)
    except OSError: return "no network"
    return "reached"
def read(path):
    try: return open(path).read()
    except OSError: return "no file"
def packages(folders): return [name for folder in folders if os.path.isdir(folder) for name in os.listdir(folder)]
def processes(): return [name for name in os.listdir("/proc") if name.isdigit()]
def write(path):
    try: open(path, "w")
    except OSError: return "no"
    return "wrote"
"""
    import jsonschema

    folder = str(Path(jsonschema.__file__).parents[1])
    tests = [
        f"assert reach({server.server_port}) == 'no network'",
        f"assert read({str(secret)!r}) == 'no file'",
        f"assert packages([{folder!r}]) == []",
        "assert len(processes()) <= 2",
        "assert write('/usr/lib/x') == 'no' and write('/tmp/x') == 'wrote'",
    ]
    try:
        assert failures(solution, *tests, bubblewrap=True) == {}
    finally:
        server.shutdown()
        server.server_close()


@in_bubblewrap
def test_in_bubblewrap_code_has_no_rights_of_root_and_no_setting_of_the_machine():
    solution = """
import ctypes, os, re
def remounts(path): return ctypes.CDLL(None).mount(None, path, None, 1 << 5 | 1 << 12, None) == 0
def opens(path):
    try: os.close(os.open(path, os.O_WRONLY | (os.O_CREAT if path.endswith("new") else 0)))
    except OSError: return False
    return True
def rights(): return re.findall("Cap.*[1-9a-f]$", open("/proc/self/status").read(), re.MULTILINE)
"""
    tests = [
        "assert not any(map(remounts, (b'/usr/lib', b'/proc', b'/')))",
        "assert rights() == []",
        "assert not any(map(opens, ('/proc/sys/kernel/hostname', '/proc/self/comm', '/new', '/dev/new')))",
        "assert opens('/dev/null') and opens('/tmp/new') and opens('/dev/shm/new')",
    ]
    assert failures(solution, *tests, bubblewrap=True) == {}


def test_after_three_that_hang_or_end_the_rest_is_not_run(bubblewrap):
    found = failures("import os\ndef f(x): os._exit(1)", *(["assert f(1)"] * 5), bubblewrap=bubblewrap)
    assert [found[index] for index in range(5)] == ["the process ended"] * 3 + ["not run"] * 2


def test_a_hidden_test_that_is_not_python_is_the_author_s_fault():
    with pytest.raises(ConfigError, match="hidden test is not Python"):
        failures("x = 1", "assert (", bubblewrap=False)


def test_a_script_reads_its_input_and_prints(bubblewrap):
    solution = "import sys\nn = int(input())\nprint(n, sum(map(int, sys.stdin.read().split())))"
    numbers = "1 " * 200_000
    assert script_output(solution, f"3\n{numbers}", LIMITS, bubblewrap).split() == ["3", "200000"]
    assert script_output("print(open(0).read().upper())", "abc", LIMITS, bubblewrap).strip() == "ABC"
    assert (
        script_output("print('early', flush=True)\nimport os; os._exit(0)", "x" * 10**6, LIMITS, bubblewrap)
        == "early\n"
    )
    assert script_output("while True: print('x' * 1000)", "", LIMITS, bubblewrap) is None


def test_the_order_of_a_set_is_the_same_in_every_run(bubblewrap):
    solution = "print(*{'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'})"
    assert len({script_output(solution, "", LIMITS, bubblewrap) for _ in range(3)}) == 1


def test_a_machine_without_bubblewrap_says_so(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    sandbox._why_no_bubblewrap.cache_clear()
    try:
        with pytest.warns(GrpoEnvWarning, match="without a sandbox"):
            assert use_bubblewrap("auto") is False
        with pytest.raises(ConfigError, match="not installed"):
            use_bubblewrap("bubblewrap")
        assert use_bubblewrap("none") is False
    finally:
        sandbox._why_no_bubblewrap.cache_clear()


def test_nothing_stays_in_the_temporary_folder(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    solution = "open('mine', 'w').write('x')\ndef f(): return 1"
    assert failures(solution, "assert f() == 1", bubblewrap=False) == {}
    assert list(tmp_path.iterdir()) == []
    assert not subprocess._active
