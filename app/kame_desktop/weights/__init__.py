"""Weights: which sets there are, where they lie, how they get here. Imports core only; the network only in ``hub``."""
