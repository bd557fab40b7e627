"""Types, events, errors, settings and clocks: no threads, no Qt, no models."""
