"""What speaks: front ends that turn microphone frames and the oracle stream into speech."""
