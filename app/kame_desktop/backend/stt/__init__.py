"""Streaming speech-to-text."""
