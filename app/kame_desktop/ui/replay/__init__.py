"""Recorded conversations in the window: replay with sound, exports, other models' answers, the list of recordings.

This package imports nothing by itself, so that its modules without Qt serve the command line too.
"""
