"""The composition root: the only package that names concrete adapters, and it imports each when it is needed."""

from kame_desktop.bootstrap.application import Application
from kame_desktop.bootstrap.sessions import RecordedSession

__all__ = ["Application", "RecordedSession"]
