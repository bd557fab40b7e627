"""Words as hibari reads them well: what its own normaliser leaves out or gets wrong is written out. Pure.

hibari 0.2.1 (``hibari.g2p.normalize``) reads numbers, years, money, ordinals, times, dates and many units by itself. It
misses a number with a sentence's end right behind it in ranges, fractions and telephone numbers, takes "No. 5" for the
end of a sentence, and spells out short units ("5 m"). Words stay as many as they were: the player tells from their
onsets which ones were heard.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_NUMBER = r"\d+(?:,\d{3})*(?:\.\d+)?"
_PARTS = re.compile(r"(.*?)([.,;:!?…]*)", re.DOTALL)
_NUMERIC = re.compile(rf"[-$€£]?{_NUMBER}(?: to [-$€£]?{_NUMBER})?")
_RANGE = re.compile(rf"([$€£]?)({_NUMBER})[-–]\1({_NUMBER})(%|°[CF]?|[A-Za-z/²³]{{1,5}})?")
_TIMES = re.compile(r"(\d{1,2}:\d{2})[-–](\d{1,2}:\d{2})")
_PHONE = re.compile(r"(?:\+?\d{1,3}-)?(?:\d{3}-)?\d{3}-\d{4}")
_COUNTRY_CODE = re.compile(r"\+\d{1,3}")
_FRACTION = re.compile(r"(\d{1,2})/(\d{1,2})")
_MIXED = re.compile(r"(\d*)([½⅓⅔¼¾⅕⅛])")
_VERSION = re.compile(r"v?\d+(?:\.\d+){2,}")
_MAGNITUDE = re.compile(rf"({_NUMBER})(k|M|B|bn)")
_FOLD = re.compile(rf"({_NUMBER})[x×]")
_FEET_INCHES = re.compile(r"(\d)['’′](\d{1,2})[\"”″]?")
_SIGN_BEFORE = re.compile(r"([~≈<>])=?(?=[\d$€£])")
_EURO_BEHIND = re.compile(rf"({_NUMBER})([€£])")
_OTHER_DOLLAR = re.compile(r"(?:US|A|C|NZ)\$(?=\d)")
_GLUED_UNIT = re.compile(rf"(-?{_NUMBER})([A-Za-zµ/]{{1,4}}[²³]?)")

_MAGNITUDES = {"k": "thousand", "M": "million", "B": "billion", "bn": "billion"}
_SIGNS = {"~": "about ", "≈": "about ", "<": "less than ", ">": "more than "}
_SPELLED = {"co2": "C O 2", "co₂": "C O 2", "9/11": "nine eleven"}
_ABBREVIATIONS = {"e.g": "for example", "i.e": "that is"}
_BEFORE_NUMBER = {
    "no": "number",
    "nos": "numbers",
    "p": "page",
    "pp": "pages",
    "fig": "figure",
    "vol": "volume",
    "ch": "chapter",
    "jan": "January",
    "feb": "February",
    "mar": "March",
    "apr": "April",
    "jun": "June",
    "jul": "July",
    "aug": "August",
    "sep": "September",
    "sept": "September",
    "oct": "October",
    "nov": "November",
    "dec": "December",
}
_CALLING = ("call", "called", "calling", "dial", "dialing", "phone")
_VULGAR = {"½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅛": (1, 8)}
_NAMES = ("", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_PARTS_OF = ("", "", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")

_UNITS = {
    "m": "meter",
    "g": "gram",
    "t": "ton",
    "s": "second",
    "h": "hour",
    "l": "liter",
    "L": "liter",
    "W": "watt",
    "V": "volt",
    "J": "joule",
    "N": "newton",
    "K": "kelvin",
    "eV": "electron volt",
    "kJ": "kilojoule",
    "kcal": "kilocalorie",
    "Wh": "watt hour",
    "USD": "dollar",
    "EUR": "euro",
    "GBP": "pound",
    "€": "euro",
    "m/s": "meter per second",
    "km/s": "kilometer per second",
    "m/s²": "meter per second squared",
    "mm²": "square millimeter",
    "cm²": "square centimeter",
    "m²": "square meter",
    "km²": "square kilometer",
    "mm³": "cubic millimeter",
    "cm³": "cubic centimeter",
    "m³": "cubic meter",
    "km³": "cubic kilometer",
    "kg/m³": "kilogram per cubic meter",
    "g/cm³": "gram per cubic centimeter",
}
_SAME_IN_PLURAL = ("kelvin",)
_NEVER_GLUED = ("s", "t", "K", "N", "J")
"""Behind a number without a space these are something else: "the 1990s", "4K"."""


def readable(words: Sequence[str]) -> list[str]:
    """The words of a clause, each written as hibari reads it best; as many as came, plain ones unchanged."""
    cores, ends = [], []
    for word in words:
        match = _PARTS.fullmatch(word)
        assert match is not None
        cores.append(match.group(1))
        ends.append(match.group(2))
    out: list[str] = []
    for index, core in enumerate(cores):
        said = _said(cores, ends, index, out) if core else core
        # A dot of an abbreviation would end the sentence.
        end = ends[index].removeprefix(".") if said != core and _abbreviates(core, said) else ends[index]
        out.append(said + end)
    return out


def _abbreviates(core: str, said: str) -> bool:
    return said in (_ABBREVIATIONS.get(core.lower()), _BEFORE_NUMBER.get(core.lower()))


def _said(cores: Sequence[str], ends: Sequence[str], index: int, before: Sequence[str]) -> str:
    """One word without the marks behind it, given what was made of those before."""
    core = cores[index]
    last = before[-1] if before else ""
    following = cores[index + 1] if index + 1 < len(cores) else ""
    after_number = bool(_NUMERIC.fullmatch(last))
    if core.lower() in _SPELLED:
        return _SPELLED[core.lower()]
    if ends[index].startswith("."):
        if core.lower() in _ABBREVIATIONS:
            return _ABBREVIATIONS[core.lower()]
        if core.lower() in _BEFORE_NUMBER and following[:1].isdigit():
            return _BEFORE_NUMBER[core.lower()]
    if core == "x" and after_number and following[:1].isdigit():
        return "times"
    if core in ("-", "–", "−") and after_number and cores[index + 2 : index + 3] in (["equals"], ["is"], ["="]):
        return "minus"
    if after_number and core in _UNITS:
        return _counted(last, core)
    if _is_dialled(cores, index):
        return " ".join(core.removeprefix("+")) if core[0] != "+" else "plus " + " ".join(core[1:])
    return _alone(core, after_number)


def _alone(core: str, after_number: bool) -> str:
    """What one word says by itself."""
    core = core.replace("−", "-")
    core = _SIGN_BEFORE.sub(lambda sign: _SIGNS[sign.group(1)], core)
    core = _OTHER_DOLLAR.sub("$", core)
    core = _EURO_BEHIND.sub(r"\2\1", core) if _EURO_BEHIND.fullmatch(core) else core
    if _PHONE.fullmatch(core):
        digits = ", ".join(" ".join(group) for group in core.removeprefix("+").split("-"))
        return f"plus {digits}" if core[0] == "+" else digits
    if times := _TIMES.fullmatch(core):
        return f"{times.group(1)} to {times.group(2)}"
    if span := _RANGE.fullmatch(core):
        sign, low, high, unit = span.groups()
        return f"{sign}{low} to {sign}{_alone(high + (unit or ''), False)}"
    if fraction := _FRACTION.fullmatch(core):
        return _fraction(int(fraction.group(1)), int(fraction.group(2)), after_number) or core
    if mixed := _MIXED.fullmatch(core):
        whole = mixed.group(1)
        part = _fraction(*_VULGAR[mixed.group(2)], bool(whole) or after_number)
        return f"{whole} {part}".strip()
    if feet := _FEET_INCHES.fullmatch(core):
        return f"{feet.group(1)} foot {feet.group(2)}"
    if fold := _FOLD.fullmatch(core):
        return f"{fold.group(1)} times"
    if _VERSION.fullmatch(core):
        return " point ".join(core.removeprefix("v").split("."))
    if (large := _MAGNITUDE.fullmatch(core)) and core != "401k":
        return f"{large.group(1)} {_MAGNITUDES[large.group(2)]}"
    if (measure := _GLUED_UNIT.fullmatch(core)) and measure.group(2) in _UNITS:
        number, unit = measure.groups()
        return core if unit in _NEVER_GLUED else f"{number} {_counted(number, unit)}"
    return core


def _counted(number: str, unit: str) -> str:
    """The unit's name, one or several of it."""
    name = _UNITS[unit]
    if number in ("1", "-1", "$1") or name in _SAME_IN_PLURAL:
        return name
    head, _, rest = name.partition(" per ")
    return f"{head}s per {rest}" if rest else f"{head}s"


def _fraction(numerator: int, denominator: int, after_number: bool) -> str:
    """ "two thirds", or "and a half" behind a number; "" when it isn't read as a fraction."""
    if not 0 < numerator < denominator < len(_PARTS_OF):
        return ""
    part = _PARTS_OF[denominator]
    if numerator == 1:
        return f"and a {part}" if after_number else f"one {part}"
    plural = "halves" if part == "half" else f"{part}s"
    return f"{'and ' if after_number else ''}{_NAMES[numerator]} {plural}"


def _is_dialled(cores: Sequence[str], index: int) -> bool:
    """Part of a telephone number that is written with spaces: each digit is said."""
    core = cores[index]
    if _COUNTRY_CODE.fullmatch(core):
        return index + 2 < len(cores) and all(_is_group(other) for other in cores[index + 1 : index + 3])
    if not _is_group(core):
        return False
    start = index
    while start > 0 and _is_group(cores[start - 1]):
        start -= 1
    if start > 0 and _COUNTRY_CODE.fullmatch(cores[start - 1]):
        return start + 1 < len(cores) and _is_group(cores[start + 1])
    if len(core) == 3 and index + 1 < len(cores) and _PHONE.fullmatch(cores[index + 1]):
        return True  # an area code
    return len(core) == 3 and index > 0 and cores[index - 1].lower() in _CALLING


def _is_group(core: str) -> bool:
    return core.isascii() and core.isdigit() and 2 <= len(core) <= 4
