"""Recorded conversations on disk: their format, and what writes, reads and keeps them."""
