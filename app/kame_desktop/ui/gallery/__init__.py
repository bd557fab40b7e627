"""Pictures of the window in its states, from a scripted session: ``python -m kame_desktop.ui.gallery OUT/``.

Nothing is heard, asked or spoken: the events are written in ``scenes``. For the README and for eyes that look for
ugliness.
"""
