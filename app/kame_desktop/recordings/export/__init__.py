"""A recorded conversation as text, Markdown, JSON, subtitles and sound: pure functions of its events. No Qt."""
