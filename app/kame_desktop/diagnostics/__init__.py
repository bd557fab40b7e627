"""What ``kame-desktop doctor`` and Help > Check my system look at, beside the sound; imports nothing heavy."""
