"""One conversation: its threads, its state machine, the oracle scheduler and feed."""
