import pytest
from hypothesis import given
from hypothesis import strategies as st

from grpo_env_sdk.errors import UsageError
from grpo_env_sdk.policies.endpoint import endpoint

KEY = "sk-secret/12345=="


@pytest.mark.parametrize(("base_url", "address", "url"), [
    ("http://h:1/v1", "http://h:1/v1/chat/completions", "http://h:1/v1/chat/completions"),
    ("https://h/v1//", "https://h/v1/chat/completions", "https://h/v1/chat/completions"),
    ("http://h", "http://h/chat/completions", "http://h/chat/completions"),
    ("http://h/v1?code=abc#x", "http://h/v1/chat/completions?code=abc", "http://h/v1/chat/completions"),
    ("http://me:pass@[::1]:8/v1", "http://[::1]:8/v1/chat/completions", "http://[::1]:8/v1/chat/completions"),
])  # fmt: skip
def test_the_address_is_below_the_base_url_and_shown_without_what_is_secret(base_url, address, url):
    found = endpoint(base_url, "")
    assert (found.address, found.url) == (address, url)


@pytest.mark.parametrize("base_url", ["localhost:8000/v1", "h", "ftp://h/v1", "http://", "http:///v1", "http://h:x/v1",
                                      "http://h:99999/v1", "http://[::1/v1", "http://me:\udcff@h/v1"])  # fmt: skip
def test_what_is_no_address_is_refused_with_an_example(base_url):
    with pytest.raises(UsageError, match=r"is not an http address\. Like: --base-url http://127\.0\.0\.1:8000/v1"):
        endpoint(base_url, "")


def test_a_refused_address_shows_no_password():
    with pytest.raises(UsageError) as found:
        endpoint("htp://me:secret@h/v1", "")
    assert "secret" not in str(found.value)


@pytest.mark.parametrize("odd", ["\n", "\x01", "\x7f", "\udcff"])
def test_secrets_that_no_header_can_have_are_refused_and_never_shown(odd, monkeypatch):
    with pytest.raises(UsageError, match="JUDGE_KEY") as of_key:
        endpoint("http://h/v1", f"sk-sec{odd}ret", "JUDGE_KEY")
    monkeypatch.setenv("http_proxy", f"http://me:sk-sec{odd}ret@proxy:3128")
    with pytest.raises(UsageError, match="http_proxy") as of_proxy:
        endpoint("http://h/v1", "")
    assert not any(part in str(found.value) for found in (of_key, of_proxy) for part in ("sec", "ret"))


def test_the_key_or_what_stands_in_the_address_lets_one_in():
    assert endpoint("http://h/v1", "").authorization == ""
    assert endpoint("http://h/v1", f" {KEY}\n").authorization == f"Bearer {KEY}"
    assert endpoint("http://me:p%40ss@h/v1", KEY).authorization == "Basic bWU6cEBzcw=="


@given(st.text(max_size=400), st.text(max_size=400), st.integers(1, 300))
def test_no_part_of_a_secret_is_shown_wherever_the_text_is_cut(before, after, most):
    found = endpoint("http://me:pass-word@h/v1", KEY)
    for secret in (KEY, "pass-word", "bWU6cGFzcy13b3Jk"):
        shown = found.redacted(f"{before}{secret}{after}", most)
        assert len(shown) <= most
        assert secret[:6] not in shown or secret[:6] in before + after


def test_a_text_is_shown_on_one_line():
    assert endpoint("http://h/v1", "").redacted(" a\n\tb\u2028c ", 100) == "a b c"


def test_a_placeholder_for_a_key_garbles_no_message():
    assert endpoint("http://h/v1", "x").redacted("context exceeded", 100) == "context exceeded"


def test_the_environments_proxy_is_used_unless_the_host_is_exempt(monkeypatch):
    monkeypatch.setenv("http_proxy", "http://me:proxy-word@proxy:3128")
    monkeypatch.setenv("no_proxy", "127.0.0.1,localhost")
    outside = endpoint("http://h/v1", "")
    assert outside.proxy == "http://me:proxy-word@proxy:3128"
    assert outside.redacted("proxy-word", 100) == "***"
    assert endpoint("https://h/v1", "").proxy is None
    assert endpoint("http://127.0.0.1:8000/v1", "").proxy is None
