"""What went wrong at a language model's service, in our words.

Works on what the exceptions of litellm, openai and httpx have in common (class names, ``status_code``, response
headers), so that it needs none of them. Their texts are read for nothing but a few fixed codes and never passed on.

litellm gives everything a status: 500 to a connection that was never made. So a status counts first when a response
stands behind it, then what the network said, then the status of an error that came inside a stream.
"""

from __future__ import annotations

import email.utils
import re
import time
from collections.abc import Iterator, Sequence
from typing import Any

from kame_desktop.backend.llm.base import LlmModel
from kame_desktop.core.errors import ErrorCategory, LlmError

_LONGEST_WAIT_S = 600.0
_LONGEST_CHAIN = 25
_NO_CREDIT = (
    "insufficient_quota",
    "insufficient_balance",
    "billing_error",
    "credit balance is too low",
    "credits are depleted",
)
_USED_UP_TODAY = ("perday",)
_TOO_LONG = ("context_length_exceeded", "exceeds the maximum number of tokens", "prompt is too long")
_BAD_KEY = ("api_key_invalid", "api key not valid", "invalid_api_key")
_OVERLOADED = ("overloaded", "unavailable")
_GOES_ROUND = ("repeating the same chunk",)
_NO_RESPONSE = ("without sending a response",)
_RETRY_DELAY = re.compile(r"retryDelay\W{1,8}(\d{1,6}(?:\.\d{1,9})?)s")
_TIMEOUTS = {"Timeout", "APITimeoutError", "TimeoutException"}
_BROKEN_OFF = {"ReadError", "WriteError", "CloseError", "RemoteProtocolError", "SSLEOFError", "SSLZeroReturnError"}
_GARBLED = {"JSONDecodeError", "UnicodeDecodeError"}
_AGAIN = "It is asked again by itself; if it goes on, choose another model."


class BrokenOff(Exception):  # noqa: N818 - not shown to anyone
    """A stream that ended in good order, but without the end of its answer."""


def no_such_model(model: LlmModel, category: ErrorCategory) -> LlmError:
    """Neither litellm nor the service knows the name."""
    where = " at that address" if model.api_base else ""
    return LlmError(
        f"There is no such model as '{model.name}'{where}.",
        "Check the spelling, or choose another language model (names: https://docs.litellm.ai/docs/providers).",
        category=category,
    )


def missing_key_error(model: LlmModel, provider: str, variables: Sequence[str]) -> LlmError:
    """No key is set. ``provider``: its name for ``llm set-key``; ``variables``: what litellm looks for."""
    alternatives = all(name.endswith("_API_KEY") for name in variables)
    names = (" or " if alternatives else " and ").join(variables)
    return LlmError(
        f"The model '{model.name}' needs a key.",
        f"Enter a key for {provider} in the settings (or: kame-desktop llm set-key {provider}), "
        f"or set {names} in the environment.",
        category=ErrorCategory.PERMANENT,
    )


def no_answer(model: LlmModel, reason: str | None) -> LlmError | None:
    """Why an answer has no words, when its end gave a reason; None: it gave none worth telling."""
    if reason == "content_filter":
        return _refused_to_answer(_who(model))
    if reason == "length":
        return LlmError(
            f"{_who(model)} thought for so long that no room was left for its answer.",
            "Choose a model that answers at once.",
            category=ErrorCategory.BAD_INPUT,
        )
    return None


def as_llm_error(error: BaseException, model: LlmModel) -> LlmError:
    """The library's exception as ours, without its text and without a link to it."""
    if isinstance(error, LlmError):
        return error
    names = {kind.__name__ for link in _chain(error) for kind in type(link).__mro__}
    who = _who(model)
    if "ImportError" in names:
        return LlmError(
            f"The model '{model.name}' needs a package that isn't installed.",
            "Choose another language model.",
            category=ErrorCategory.MISSING,
        )
    if "ContextWindowExceededError" in names or _says(error, _TOO_LONG):
        return LlmError(
            "The conversation is too long for this language model.",
            "Start a new conversation, or choose a model with more room.",
            category=ErrorCategory.BAD_INPUT,
        )
    if "ContentPolicyViolationError" in names:
        return _refused_to_answer(who)
    if _says(error, _GOES_ROUND):
        return LlmError(
            f"{who} repeats itself without an end.",
            "Ask in other words, or choose another model.",
            category=ErrorCategory.BAD_INPUT,
        )
    answered = _http_status(error)
    if answered is None and (network := _network_error(error, names, model, who)) is not None:
        return network
    return _from_status(error, names, answered, model, who)


def _who(model: LlmModel) -> str:
    return "The starter model" if model.starter else f"The service of '{model.name}'"


def _refused_to_answer(who: str) -> LlmError:
    return LlmError(
        f"{who} refused to answer this question.",
        "Ask something else, or choose another model.",
        category=ErrorCategory.BAD_INPUT,
    )


def _network_error(error: BaseException, names: set[str], model: LlmModel, who: str) -> LlmError | None:
    """What kept request and answer from arriving; None: nothing of the kind."""
    if "gaierror" in names:
        remedy = "Check the network connection, or choose the starter model."
        if model.api_base:
            remedy = "Check the spelling of its address, and the network connection."
        return LlmError(f"{who} can't be found: its address is unknown.", remedy)
    if "SSLCertVerificationError" in names:
        remedy = "Check this computer's date, and whether the network asks you to sign in first."
        if model.api_base:
            remedy = "If the service is your own, set SSL_CERT_FILE to the file with its certificate, and start again."
        return LlmError(
            f"{who} can't be trusted: its certificate isn't valid.", remedy, category=ErrorCategory.PERMANENT
        )
    if "SSLError" in names and not names & _BROKEN_OFF:
        return LlmError(
            f"{who} doesn't speak https in a way that this computer understands.",
            "Check its address (http:// instead of https://?), or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if "ProxyError" in names:
        return LlmError(
            f"{who} can't be reached: the network's proxy refused.",
            "Check the proxy (HTTPS_PROXY in the environment), or choose the starter model.",
        )
    if names & _TIMEOUTS:
        return LlmError(f"{who} did not answer in time.", "Check the connection, or choose another model.")
    if names & _BROKEN_OFF:
        remedy = "It is asked again by itself; if it goes on, check the connection, or choose another model."
        if (model.api_base or "").startswith("http://") and _says(error, _NO_RESPONSE):
            remedy = "It is asked again by itself; if it goes on, check its address (https:// instead of http://?)."
        return LlmError(f"The connection to {who[0].lower()}{who[1:]} broke off.", remedy)
    if names & {"ConnectError", "ClientConnectorError"}:
        return _unreachable(model, who)
    if names & _GARBLED:
        return LlmError(f"{who} sent something that can't be understood.", _AGAIN)
    if names & {"BrokenOff", "StopAsyncIteration"}:
        return LlmError(f"{who} broke off in the middle of its answer.", _AGAIN)
    return None


def _from_status(error: BaseException, names: set[str], answered: int | None, model: LlmModel, who: str) -> LlmError:
    """What the service said, with a status of its response or inside of the stream."""
    status = answered
    if status is None:
        status = next((code for link in _chain(error) if (code := _status(link)) not in (None, 500)), None)
    if "AuthenticationError" in names or status == 401 or _says(error, _BAD_KEY):
        return LlmError(
            f"{who} refused the key.",
            "Enter the right key in the settings (or: kame-desktop llm set-key), or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if status == 403:
        return LlmError(
            f"{who} doesn't let this key use the model.",
            "Ask the provider what the key may be used for, and where, or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if "NotFoundError" in names or status == 404:
        return no_such_model(model, ErrorCategory.PERMANENT)
    if status == 402 or _says(error, _NO_CREDIT):
        return LlmError(
            f"{who} says that the account has no credit left.",
            "Add credit to the account, or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    if status == 429 and _says(error, _USED_UP_TODAY):
        return LlmError(
            f"{who} says that this day's quota is used up.",
            "Raise the quota at the provider, go on tomorrow, or choose another model.",
            category=ErrorCategory.PERMANENT,
        )
    wait_s = _retry_after_s(error)
    if status == 429:
        return LlmError(
            f"{who} asks to slow down (too many requests).",
            "It is asked again by itself after a while.",
            retry_after_s=wait_s,
        )
    if status == 408:
        return LlmError(f"{who} did not answer in time.", "Check the connection, or choose another model.")
    if status is not None and 400 <= status < 500:
        return LlmError(
            f"{who} can't use this request (status {status}).",
            "Choose another language model.",
            category=ErrorCategory.PERMANENT,
        )
    if status in (503, 529) or _says(error, _OVERLOADED):
        return LlmError(f"{who} is overloaded.", _AGAIN, retry_after_s=wait_s)
    return LlmError(f"{who} is in trouble" + (f" (status {status})." if status else "."), _AGAIN, retry_after_s=wait_s)


def _unreachable(model: LlmModel, who: str) -> LlmError:
    if model.starter:
        remedy = "It is started again by itself."
    elif model.api_base:
        remedy = "Check that the service at the given address is running."
    else:
        remedy = "Check the network connection, or choose the starter model."
    return LlmError(f"{who} can't be reached.", remedy)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The error and what led to it, newest first; bounded."""
    link: BaseException | None = error
    for _ in range(_LONGEST_CHAIN):
        if link is None:
            return
        yield link
        link = link.__cause__ or link.__context__ or getattr(link, "original_exception", None)


def _http_status(error: BaseException) -> int | None:
    """The status of the response that the service really gave; None when there was no response, or a good one."""
    for link in _chain(error):
        if type(link).__name__ == "HTTPStatusError":
            return _status(getattr(link, "response", None))
    return None


def _status(carrier: Any) -> int | None:
    """Its status, as a number or in digits (an error inside a stream has what the service wrote)."""
    code: Any = getattr(carrier, "status_code", None)
    try:
        return int(code) if code is not None else None
    except (TypeError, ValueError):
        return None


def _says(error: BaseException, codes: Sequence[str]) -> bool:
    """Whether the service named one of these fixed codes (small letters)."""
    return any(code in part.lower() for part in _texts(error) for code in codes)


def _texts(error: BaseException) -> Iterator[str]:
    for link in _chain(error):
        for part in (link, getattr(link, "code", ""), getattr(link, "body", "")):
            yield str(part)


def _retry_after_s(error: BaseException) -> float | None:
    """Seconds to wait: the Retry-After header (seconds or a date, RFC 9110 10.2.3), or what Google's body says."""
    for link in _chain(error):
        sources: tuple[Any, ...] = (
            getattr(getattr(link, "response", None), "headers", None),
            getattr(link, "litellm_response_headers", None),
        )
        for headers in sources:
            if headers is None:
                continue
            value = dict(headers).get("retry-after") or dict(headers).get("Retry-After")
            if value is not None and (seconds := _seconds(str(value))) is not None:
                return min(max(seconds, 0.0), _LONGEST_WAIT_S)
    for text in _texts(error):
        if delay := _RETRY_DELAY.search(text):
            return min(float(delay.group(1)), _LONGEST_WAIT_S)
    return None


def _seconds(value: str) -> float | None:
    try:
        return float(value)
    except ValueError:
        pass
    try:
        return email.utils.parsedate_to_datetime(value).timestamp() - time.time()
    except (TypeError, ValueError):
        return None
