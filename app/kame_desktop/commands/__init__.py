"""The command line's verbs: each prints plain lines and returns an exit code."""
