"""The key of a user, and what is signed with it."""

import os
import stat
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

from grpo_env_sdk.errors import ConfigError, GrpoEnvWarning
from grpo_env_sdk.runs import signing
from grpo_env_sdk.runs.signing import is_signed, key_file, signed

DATA = {"env": "toy-v1", "range": [0.0, float("inf")], "text": "é\n"}


@pytest.fixture(autouse=True)
def home(tmp_path, monkeypatch):
    """A user's home without a key."""
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv(signing.KEY_VARIABLE, raising=False)
    signing._warn_unsigned.cache_clear()
    return tmp_path


def test_what_this_user_signed_is_known_again_and_a_change_is_noticed(home):
    kept = signed(DATA)
    assert is_signed(kept)
    assert is_signed(dict(reversed(kept.items())))  # the content counts, not its order
    assert not is_signed(kept | {"env": "os:system"})
    assert not is_signed(kept | {"more": 1})
    assert not is_signed(DATA)
    assert not any(is_signed(kept | {"signature": given}) for given in ("", "é", None, 1, kept["signature"][:-1]))


def test_the_key_is_32_random_bytes_that_only_its_owner_can_read(home):
    signed(DATA)
    path = home / ".local/state/grpo-env/signing.key"
    assert key_file() == path
    assert len(path.read_bytes()) == 32
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    before = path.read_bytes()
    signed(DATA)
    assert path.read_bytes() == before


def test_looking_at_a_signature_creates_no_key(home):
    assert not is_signed(DATA | {"signature": "0" * 64})
    assert [*home.iterdir()] == []


def test_another_key_signs_for_another_user(home, monkeypatch):
    kept = signed(DATA)
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "elsewhere"))
    assert not is_signed(kept)
    assert signed(DATA) != kept


def test_processes_that_start_at_once_share_one_key():
    code = "from grpo_env_sdk.runs.signing import signed; print(signed({'a': 1})['signature'])"

    def sign(_):
        return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    with ThreadPoolExecutor(4) as pool:
        assert len(set(pool.map(sign, range(4)))) == 1


def test_a_key_that_a_crash_left_half_written_is_written_anew(home):
    signed(DATA)
    key_file().write_bytes(b"half")
    assert not is_signed(signed({}) | DATA)
    assert is_signed(signed(DATA))


def test_a_text_in_the_environment_is_the_key_of_all_who_have_it(home, monkeypatch):
    monkeypatch.setenv(signing.KEY_VARIABLE, "0123456789abcdef" * 2)
    kept = signed(DATA)
    assert is_signed(kept)
    assert not key_file().exists()
    monkeypatch.setenv(signing.KEY_VARIABLE, "another 0123456789abcdef0123456789")
    assert not is_signed(kept)


def test_a_short_text_is_no_key(monkeypatch):
    monkeypatch.setenv(signing.KEY_VARIABLE, "secret")
    with pytest.raises(ConfigError, match=r"GRPO_ENV_SIGNING_KEY has 6 characters.*openssl rand") as caught:
        signed(DATA)
    assert "secret" not in str(caught.value)


def test_a_key_that_others_can_read_is_refused_with_what_to_do(home):
    signed(DATA)
    key_file().chmod(0o644)
    for use in (signed, lambda data: is_signed(data | {"signature": ""})):
        with pytest.raises(ConfigError, match=r"signing\.key, can be read by other users.*chmod 600"):
            use(DATA)


def test_where_no_key_can_be_kept_data_stays_unsigned_and_it_is_said_once(home, monkeypatch):
    (home / "file").write_text("")
    monkeypatch.setenv("XDG_STATE_HOME", str(home / "file"))
    with pytest.warns(GrpoEnvWarning, match=r"not signed, because .*signing\.key cannot be written \(Not a dir"):
        assert signed(DATA) == DATA
    assert signed(DATA) == DATA  # a second warning would be an error
    assert not is_signed(DATA)


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_home_that_is_read_only_is_said_once(home):
    home.chmod(0o500)
    with pytest.warns(GrpoEnvWarning, match="Permission denied"):
        assert signed(DATA) == DATA
