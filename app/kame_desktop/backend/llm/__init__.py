"""Streaming language models."""
