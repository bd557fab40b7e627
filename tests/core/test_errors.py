"""The error tree: category decides retry, and nothing of the user's words gets out."""

from __future__ import annotations

import pytest

from kame_desktop.core.errors import (
    AppError,
    BadInputError,
    ErrorCategory,
    LlmError,
    ResourceError,
    as_app_error,
    stack_of,
)


def test_the_category_decides_retry() -> None:
    assert LlmError("The service is busy.").retryable
    assert not LlmError("The key was refused.", category=ErrorCategory.PERMANENT).retryable
    assert not BadInputError("No.").retryable


def test_the_message_is_what_happened_and_what_to_do() -> None:
    assert str(AppError("It broke.", "Mend it.")) == "It broke. Mend it."
    assert str(AppError("It broke.")) == "It broke."


@pytest.mark.parametrize("error", [ValueError("my secret words"), KeyError("sk-secret")])
def test_a_foreign_error_is_wrapped_without_its_text(error: Exception) -> None:
    wrapped = as_app_error(error, "speech-to-text")
    assert wrapped.category is ErrorCategory.INTERNAL
    assert "secret" not in str(wrapped)
    assert wrapped.component == "speech-to-text"


def test_errors_of_the_tree_pass_and_memory_is_named() -> None:
    mine = BadInputError("No.")
    assert as_app_error(mine, "x") is mine
    assert isinstance(as_app_error(MemoryError(), "x"), ResourceError)


def test_a_stack_for_the_log_has_no_text_of_the_error() -> None:
    try:
        raise ValueError("my secret words")
    except ValueError as error:
        stack = stack_of(error)
    assert stack.startswith("ValueError")
    assert "test_errors.py" in stack
    assert "my secret words" not in stack.replace('raise ValueError("my secret words")', "")
