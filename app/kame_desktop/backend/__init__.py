"""What thinks: streaming speech-to-text and language models."""
