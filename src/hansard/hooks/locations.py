"""Where hooks find the store, its spool and its servers, without loading anything else.

The folder is the user's alone, like the store it lies in: so nobody else can put an event there.
"""

import os
import stat
from collections.abc import Iterable, Mapping

FOLDER = "hooks"
"""In the store's folder."""

SEEN = "seen"
"""Within that, a file for each host whose hook was run."""

SWITCHES = ("read_only", "limit_everyone")
"""Settings whose flags take no value."""

PATHS = ("store", "workspace", "key_file", "secret_file", "git_folder", "anchor_file")
"""Settings that name a file or a folder."""

PREFIX = "HANSARD_"
SECRET = ("HANSARD_SECRET", "HANSARD_TOKEN", "HANSARD_EMBEDDER_KEY", "HANSARD_PERSON_KEY")
"""Variables that are never written down."""

MEMORY = "memory:"

Given = dict[str, str]


def flags_in(words: Iterable[str]) -> tuple[list[str], Given]:
    """Divide the words of a command into those that are no flags, and the flags by name."""
    rest: list[str] = []
    given: Given = {}
    left = iter(words)
    for word in left:
        if not word.startswith("--"):
            rest.append(word)
            continue
        name, has_value, value = word[2:].partition("=")
        name = name.replace("-", "_")
        if name in SWITCHES or name.removeprefix("no_") in SWITCHES:
            given[name.removeprefix("no_")] = "no" if name.startswith("no_") else "yes"
        else:
            given[name] = value if has_value else next(left, "")
    return rest, given


def given_settings(flags: Given, environment: Mapping[str, str]) -> Given:
    """Give the settings that flags and variables name, with whole paths: another may read them."""
    named = {
        name.removeprefix(PREFIX).lower(): value
        for name, value in environment.items()
        if name.startswith(PREFIX) and name not in SECRET and value
    }
    given = named | flags
    for name in (*PATHS, "config"):
        if (value := given.get(name)) and "://" not in value and value != MEMORY:
            given[name] = os.path.abspath(os.path.expanduser(value))
    return given


def hooks_folder(given: Given, environment: Mapping[str, str]) -> str | None:
    """Give the folder of the hooks of the store that is meant; `None` if nothing lasts there."""
    store = given.get("store") or _configured(given, "store") or ""
    if store == MEMORY:
        return None
    if store.startswith(("postgresql://", "postgres://")):
        from hashlib import sha256

        name = sha256(store.encode()).hexdigest()[:16]
        return os.path.join(_user_folder("data", environment), f"{FOLDER}-{name}")
    folder = store or os.path.join(_user_folder("data", environment), "store")
    return os.path.join(os.path.expanduser(folder), FOLDER)


def has_workspace(given: Given) -> str | None:
    """Give the workspace that settings name."""
    return given.get("workspace") or _configured(given, "workspace")


def make(folder: str) -> None:
    """Make the folder, and what leads to it, for its owner alone."""
    above = folder
    missing = []
    while not os.path.isdir(above):
        missing.append(above)
        above = os.path.dirname(above)
    for one in reversed(missing):
        try:
            os.mkdir(one, 0o700)
        except FileExistsError:
            continue
    found = os.lstat(folder)
    is_ours = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()
    if not is_ours or found.st_mode & 0o077:
        raise PermissionError(f"{folder} must be a folder of yours that nobody else can enter")


def note_seen(folder: str, host: str) -> None:
    """Note when a host's hook was last run."""
    seen = os.path.join(folder, SEEN)
    try:
        os.makedirs(seen, 0o700, exist_ok=True)
        os.close(os.open(os.path.join(seen, host), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600))
        os.utime(os.path.join(seen, host))
    except OSError:
        return


def last_seen(folder: str, host: str) -> float | None:
    """Say when a host's hook was last run, in seconds since 1970; `None` if never."""
    try:
        return os.stat(os.path.join(folder, SEEN, host)).st_mtime
    except OSError:
        return None


def _configured(given: Given, name: str) -> str | None:
    """Read the config file, if there is one."""
    path = given.get("config") or os.path.join(_user_folder("config", os.environ), "config.toml")
    try:
        with open(path, "rb") as file:
            text = file.read()
    except OSError:
        return None
    if name.encode() not in text:
        return None
    import tomllib

    try:
        value = tomllib.loads(text.decode()).get(name)
    except ValueError:
        return None
    return value if isinstance(value, str) and value else None


def _user_folder(kind: str, environment: Mapping[str, str]) -> str:
    """Give the user's folder for data or settings, as platformdirs has it."""
    if os.uname().sysname == "Linux":
        variable, usual = {
            "data": ("XDG_DATA_HOME", "~/.local/share"),
            "config": ("XDG_CONFIG_HOME", "~/.config"),
        }[kind]
        named = environment.get(variable, "")
        return os.path.join(named if named.strip() else os.path.expanduser(usual), "hansard")
    import platformdirs

    folder = platformdirs.user_data_dir if kind == "data" else platformdirs.user_config_dir
    return folder("hansard")
