"""Which device a remembered name means."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from kame_desktop.audio.base import DeviceChoiceInfo
from kame_desktop.audio.choices import best_match
from kame_desktop.core.settings import DeviceChoice

NAMES = st.sampled_from(["Mic", "mic", "Mic of the headset", "USB Audio: - (hw:1,0)", "USB Audio: - (hw:2,0)", "Other"])
HOSTS = st.sampled_from(["ALSA", "JACK"])
DEVICES = st.lists(st.builds(lambda name, host: DeviceChoiceInfo(name, host, 48_000, 2), NAMES, HOSTS), max_size=6)


def match(choice: DeviceChoice, *devices: tuple[str, str]) -> int | None:
    return best_match([DeviceChoiceInfo(name, host, 48_000, 2) for name, host in devices], choice)


def test_name_and_host_api_then_name_then_a_part_of_it() -> None:
    choice = DeviceChoice(name="Mic", host_api="JACK")
    assert match(choice, ("Mic", "ALSA"), ("Mic of it", "JACK"), ("Mic", "JACK")) == 2
    assert match(choice, ("Mic of it", "JACK"), ("Mic", "ALSA")) == 1
    assert match(choice, ("A mic of it", "ALSA"), ("The mic", "JACK")) == 1
    assert match(choice, ("Speaker", "JACK")) is None
    assert match(DeviceChoice(name="mic"), ("A Mic", "ALSA"), ("The Mic", "JACK")) == 0


def test_a_card_that_was_plugged_in_again_is_the_same_one() -> None:
    choice = DeviceChoice(name="USB Audio: - (hw:1,0)", host_api="ALSA")
    assert match(choice, ("HDA: (hw:0,0)", "ALSA"), ("USB Audio: - (hw:2,0)", "ALSA")) == 1
    assert match(choice, ("USB Audio: - (hw:2,0)", "ALSA"), ("USB Audio: - (hw:1,0)", "ALSA")) == 1


@given(DEVICES, NAMES, HOSTS)
def test_the_exact_device_wins_and_nothing_strange_does(
    devices: list[DeviceChoiceInfo], name: str, host_api: str
) -> None:
    at = best_match(devices, DeviceChoice(name=name, host_api=host_api))
    exact = [index for index, one in enumerate(devices) if (one.name, one.host_api) == (name, host_api)]
    if exact:
        assert at == exact[0]
    elif any(one.name == name for one in devices):
        assert at is not None
        assert devices[at].name == name
    elif at is not None:
        stem = name.casefold().split(" (hw:")[0]
        assert stem in devices[at].name.casefold()
