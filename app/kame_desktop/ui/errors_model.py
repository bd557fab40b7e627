"""Trouble worth showing, as plain values: one entry a component, counted, dismissible. No Qt."""

from __future__ import annotations

from dataclasses import dataclass

from kame_desktop.core.errors import ErrorCategory


@dataclass(slots=True)
class ShownError:
    """One line of the error bar. ``count``: how often it was reported."""

    component: str
    category: str
    what: str
    remedy: str
    count: int = 1


class ErrorList:
    """The newest trouble of each component.

    A report that says the same again is counted. One that the user has dismissed stays away until something else
    goes wrong with that component, or until the next conversation.
    """

    def __init__(self) -> None:
        self._entries: dict[str, ShownError] = {}
        self._dismissed: dict[str, str] = {}

    @property
    def shown(self) -> list[ShownError]:
        """What the error bar shows, oldest first."""
        return list(self._entries.values())

    def add(self, component: str, category: str, what: str, remedy: str, *, counts: bool = True) -> None:
        """Report trouble. ``counts`` is False for one that the component may report itself as well."""
        if self._dismissed.get(component) == what:
            return
        self._dismissed.pop(component, None)
        known = self._entries.get(component)
        if known is not None and known.what == what:
            known.count += counts
            known.category, known.remedy = category, remedy or known.remedy
            return
        if component != "session":
            self._entries.pop("session", None)  # the cause says more than "the session failed"
        self._entries[component] = ShownError(component, category, what, remedy, int(counts))

    def dismiss(self, component: str) -> None:
        """The user has read it."""
        entry = self._entries.pop(component, None)
        if entry is not None:
            self._dismissed[component] = entry.what

    def clear_transient(self, component: str) -> None:
        """The component works again: passing trouble is over."""
        entry = self._entries.get(component)
        if entry is not None and entry.category == ErrorCategory.TRANSIENT.value:
            del self._entries[component]

    def clear(self, component: str | None = None) -> None:
        """Forget one component's trouble, or all of it."""
        if component is None:
            self._entries.clear()
            self._dismissed.clear()
        else:
            self._entries.pop(component, None)
            self._dismissed.pop(component, None)
