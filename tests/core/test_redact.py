"""Nothing that identifies the user or opens a door is left in a text."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.core.redact import Redactor

ENVIRONMENT = {
    "OPENAI_API_KEY": "plain-looking-words",
    "HF_TOKEN": "correct horse",
    "MY_SECRET": "tiny!!",
    "TOKENIZERS_PARALLELISM": "false",
    "KEYBOARD": "qwerty-layout",
    "SHORT_TOKEN": "ok",
}
redact = Redactor(environment=ENVIRONMENT, home="/home/ann", names=["ann", "ann-laptop"], secrets=["typed in"])


@pytest.mark.parametrize(
    "key",
    [
        "sk-proj-Abc123_def456-ghi789",
        "sk-ant-api03-xYz",
        "gsk_0123456789abcdef",
        "hf_abcdefghijklmnop",
        "AIzaSyA-0123456789_abcdefghijk",
        "AKIAIOSFODNN7EXAMPLE",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIx.SflKxwRJSM",
        "0f8fad5b-d9cd-469f-a165-70867728950e",
        "4f1e9a7c2b8d4f1e9a7c2b8d4f1e9a7c",
        "aB3dE6gH9jK2mN5pQ8sT",
        "QWxhZGRpbjpvcGVuIHNlc2FtZS1hbmQtbW9yZQAbCdEfGh==",
        "plain-looking-words",
        "correct horse",
        "tiny!!",
        "typed in",
    ],
)
@pytest.mark.parametrize("around", ["{}", "the key {} was refused", "('{}',)", '{{"a": "{}"}}', "x={}\n", "<{}>"])
def test_a_key_goes_wherever_it_stands(key: str, around: str) -> None:
    assert key not in redact(around.format(key))


@pytest.mark.parametrize(
    ("text", "secret"),
    [
        ("https://ann:pass@example.org/v1", "pass"),
        ("ftp://token9@example.org", "token9"),
        ("https://example.org/v1?key=abc&x=1", "abc"),
        ("https://example.org/v1#access=abc", "abc"),
        ("Authorization: Bearer abcdefgh", "abcdefgh"),
        ("authorization=Basic YWJjZA==", "YWJjZA"),
        ("'x-api-key': 'letters'", "letters"),
        ('{"api_key": "letters"}', "letters"),
        ("GROQ_API_KEY=letters", "letters"),
        ("password: letters", "letters"),
        ("write to someone@example.org", "someone"),
    ],
)
def test_what_is_named_a_secret_goes_whatever_it_looks_like(text: str, secret: str) -> None:
    assert secret not in redact(text)


def test_the_address_of_a_service_stays_readable() -> None:
    assert redact("https://ann:pass@example.org:8000/v1?x=1") == "https://<hidden>@example.org:8000/v1?<hidden>"


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("/home/ann/.config/kame-desktop/settings.json", "~/.config/kame-desktop/settings.json"),
        ('File "/home/ann/a.py", line 3', 'File "~/a.py", line 3'),
        ("file:///home/ann/x", "file://~/x"),
        ("/home/anna/x", "/home/anna/x"),
        ("Ann's headset on ANN-LAPTOP", "<name>'s headset on <name>"),
        ("plan, annual, ann_2", "plan, annual, <name>_2"),
    ],
)
def test_home_and_names_go_and_nothing_else(text: str, shown: str) -> None:
    assert redact(text) == shown


@pytest.mark.parametrize("written", [r"C:\Users\Ann\x", r"C:\\Users\\Ann\\x", "C:/Users/Ann/x", r"c:\users\ann\x"])
def test_a_home_of_windows_goes_however_it_is_written(written: str) -> None:
    hide = Redactor(environment={}, home=r"C:\Users\Ann", names=[])
    assert hide(written).startswith("~")


@pytest.mark.parametrize(
    "text",
    [
        "Linux-6.18.44-generic-x86_64-with-glibc2.36, Python 3.11.7, PySide6-Essentials 6.11.2",
        'File "app/kame_desktop/backend/llm/litellm_client.py", line 120, in stream',
        "kame_desktop.session.supervised_stt: 40 tokens, token budget 2000, keyboard",
        "NVIDIA GeForce RTX 4090, 23.5 GB free, driver 555.42.06, compute capability 8.9",
        "openai/gpt-4.1-nano at 192.168.1.20:8000",
        "2026-12-05T15:46:24Z",
    ],
)
def test_what_helps_stays(text: str) -> None:
    assert redact(text) == text


@given(
    st.text(alphabet=string.ascii_letters + string.digits, min_size=24, max_size=60).filter(
        lambda one: any(c.isdigit() for c in one) and any(c.isalpha() for c in one)
    ),
    st.text(max_size=40).map(lambda one: one + " "),
    st.text(max_size=40).map(lambda one: " " + one),
)
def test_no_random_key_survives_between_any_words(key: str, before: str, after: str) -> None:
    shown = redact(f"{before}{key}{after}")
    assert key not in shown
    assert redact(shown) == shown


@given(st.text(max_size=300))
def test_any_text_is_taken(text: str) -> None:
    redact(text)


def test_a_hostile_text_takes_no_time() -> None:
    for piece in ("a1" * 50_000, "://" * 30_000, "a-" * 50_000, "key=" * 30_000, "a@" * 50_000, "eyJaaaaaaaa." * 9_000):
        redact(piece)


def test_the_process_and_the_system_are_asked_without_being_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NOBODYS_API_KEY", "an ordinary sentence")
    monkeypatch.setenv("USER", "zebulon")
    assert Redactor()("zebulon says: an ordinary sentence") == "<name> says: <key>"
