"""A key to talk with while another program is in front, where the desktop allows it."""

from kame_desktop.ui.global_key.base import KEYS, GlobalKey
from kame_desktop.ui.global_key.choice import make_global_key
from kame_desktop.ui.global_key.talk_key import GlobalTalkKey

__all__ = ["KEYS", "GlobalKey", "GlobalTalkKey", "make_global_key"]
