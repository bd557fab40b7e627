"""The window. PySide6 lives only here."""
