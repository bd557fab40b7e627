"""Kame Desktop: a voice assistant that answers at once and corrects itself while it is speaking."""

__version__ = "0.1.0"
