"""The settings: a dialog of searchable pages whose changes apply at once. Imported when it is opened, not before."""

from kame_desktop.ui.settings_dialog.dialog import SettingsDialog

__all__ = ["SettingsDialog"]
