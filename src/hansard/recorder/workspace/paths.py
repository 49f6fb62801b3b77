"""Which texts may name a file of the workspace. Pure: it never touches the disk.

The rule is the same on every platform, since a workspace is cloned and synced to others: what
Windows or macOS would read as another name is refused here too.
"""

import re
import unicodedata
from dataclasses import dataclass

from hansard.kernel import limits
from hansard.recorder.problems import PathInvalid, PathNotRegular, PathOutsideWorkspace, shown

INVISIBLE_CATEGORIES = {"Cc", "Cf", "Cs", "Zl", "Zp"}
"""Control and format characters (bidi and most zero-width ones), surrogates, line separators."""

IGNORABLE_RANGES = (
    "\u00ad\u00ad \u034f\u034f \u061c\u061c \u115f\u1160 \u17b4\u17b5 \u180b\u180f \u200b\u200f "
    "\u202a\u202e \u2060\u206f \u3164\u3164 \ufe00\ufe0f \ufeff\ufeff \uffa0\uffa0 \ufff0\ufff8 "
    "\U0001bca0\U0001bca3 \U0001d173\U0001d17a \U000e0000\U000e0fff"
).split(" ")
"""Unicode's Default_Ignorable_Code_Point, first and last of each range: drawn as nothing."""

DEVICE_NAMES = {"con", "prn", "aux", "nul", "conin$", "conout$"} | {
    f"{port}{number}" for port in ("com", "lpt") for number in "123456789¹²³"
}
"""Windows opens a device for these, whatever the folder and the extension."""

_IGNORABLE = re.compile("[" + "".join(f"{r[0]}-{r[1]}" for r in IGNORABLE_RANGES) + "]")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@dataclass(frozen=True, slots=True)
class FilePath:
    """A path within the workspace that has passed the rule."""

    components: tuple[str, ...]

    def __str__(self) -> str:
        return "/".join(self.components)

    @property
    def name(self) -> str:
        """The last component: the file itself."""
        return self.components[-1]

    @property
    def parent(self) -> str:
        """The folder it lies in, from the root; `.` is the root."""
        return "/".join(self.components[:-1]) or "."


def parse(path: str, *roots: str) -> tuple[str, ...]:
    """Split a path into its components from the root, or refuse it.

    `roots` are the absolute names of the workspace's folder: a path may also begin with one.
    """
    rest, is_inside = _below_root(path, roots)
    _require_plain_text(path, rest)
    parts = [part for part in rest.split("/") if part not in {"", "."}]
    if not is_inside or ".." in parts or _ADDRESS.match(rest):
        raise PathOutsideWorkspace(f"{shown(path)} is outside the workspace", path=shown(path))
    if not path:
        raise _invalid(path, "is empty")
    if not parts or rest.rpartition("/")[2] in {"", "."}:
        raise PathNotRegular(f"{shown(path)} names a folder, not a file", path=shown(path))
    _require_size(path, parts)
    for part in parts:
        _require_component(path, part)
    return tuple(parts)


def is_ignorable(character: str) -> bool:
    """Whether a character is drawn as nothing, so that two names can look the same."""
    return bool(_IGNORABLE.match(character))


def _below_root(path: str, roots: tuple[str, ...]) -> tuple[str, bool]:
    """Give what follows the root in an absolute path, compared by whole components."""
    if not path.startswith("/"):
        return path, True
    for root in roots:
        beginning = [part for part in root.split("/") if part]
        rest = path
        for part in beginning:
            first, _, after = rest.lstrip("/").partition("/")
            if first != part:
                break
            rest = after
        else:
            return rest, True
    return path, False


def _require_plain_text(path: str, rest: str) -> None:
    """Refuse what cannot be seen, cannot be encoded, or has two spellings."""
    for character in rest:
        if unicodedata.category(character) in INVISIBLE_CATEGORIES or is_ignorable(character):
            raise _invalid(path, f"holds U+{ord(character):04X}, which cannot be seen")
    if "\\" in rest:
        raise _invalid(path, "holds a backslash, which some systems read as a separator")
    if not all(unicodedata.is_normalized("NFC", part) for part in rest.split("/")):
        raise _invalid(path, "is not in Unicode's normal form NFC")


def _require_size(path: str, parts: list[str]) -> None:
    if len(parts) > limits.PATH_LEVELS_MAX:
        raise _invalid(path, f"has more than {limits.PATH_LEVELS_MAX} levels")
    if len("/".join(parts).encode()) > limits.PATH_BYTES_MAX:
        raise _invalid(path, f"has more than {limits.PATH_BYTES_MAX} bytes")


def _require_component(path: str, part: str) -> None:
    """Refuse names that another system would read as a different one."""
    if len(part.encode()) > limits.PATH_COMPONENT_BYTES_MAX:
        raise _invalid(path, f"has a name of over {limits.PATH_COMPONENT_BYTES_MAX} bytes")
    if part.endswith(".") or part[-1].isspace():
        raise _invalid(path, "has a name that ends in a dot or a space, which Windows drops")
    # A colon after something makes a drive, a scheme or an NTFS stream of it; a first one does not.
    if ":" in part[1:]:
        raise _invalid(path, "holds a colon, which some systems give a meaning")
    if part.partition(".")[0].rstrip().lower() in DEVICE_NAMES:
        raise _invalid(path, "has the name of a Windows device")


def _invalid(path: str, reason: str) -> PathInvalid:
    return PathInvalid(f"The path {shown(path)} {reason}", path=shown(path))
