"""Settings, declared once: a flag, a `HANSARD_…` variable and a line of the config file each.

Where the same setting is given twice, the flag counts before the variable, the variable before
the file, and the file before the default.
"""

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any, cast

import platformdirs

from hansard.kernel.problem import InvalidInput

PREFIX = "HANSARD_"
CONFIG_VARIABLE = "HANSARD_CONFIG"
SECRET_VARIABLES = ("HANSARD_SECRET", "AGENT_MEMORY_SECRET")
"""The variable with the secret by which a caller proves to be an admin; it has no flag and no
line."""

SECRET_CHARS_MIN = 16

PERSON_VARIABLE = "HANSARD_PERSON_KEY"
"""Names a file with the secret, by which a command proves to be a person's. It is no setting, since
a config file counts for agents as well."""

TOKEN_VARIABLE = "HANSARD_TOKEN"  # noqa: S105 - where a token is found, not a token
"""An admin's token, by which `hansard token` knows an admin where there is no terminal."""

LOOPBACK = ("127.0.0.1", "localhost", "::1")
"""The names of this machine for itself."""

EMBEDDER_KEY_VARIABLE = "HANSARD_EMBEDDER_KEY"
"""The key of the server that embeds. A secret, so it is no setting: it has no flag and no line."""

CLIENT_SECRET_VARIABLE = "HANSARD_SSO_CLIENT_SECRET"  # noqa: S105 - where it is found, not itself
"""The secret by which the page identifies itself to the identity provider. It is no setting."""


def _declare(
    default: Any,
    help: str,  # noqa: A002
    *,
    choices: tuple[str, ...] = (),
    is_table: bool = False,
) -> Any:
    told = {"help": help, "choices": choices, "is_table": is_table}
    return field(default=default, metadata=told)


@dataclass(frozen=True, slots=True)
class Settings:
    """How this Hansard is set up."""

    store: str = _declare(
        "", "A folder, or a postgresql:// URL. By default a folder in the user's data folder."
    )
    blobs: str = _declare(
        "",
        "Where a store in PostgreSQL keeps large contents: s3://BUCKET/FOLDER, gs://, az:// or "
        "file:///. By default in the database. The keys to it are in the environment.",
    )
    project: str = _declare(
        "",
        "The project of calls that name none. By default the workspace's own: the one that its "
        ".hansard.toml names, else one named after its Git repository, else `default`.",
    )
    workspace: str = _declare(".", "The folder whose files agents may change through Hansard.")
    redact: str = _declare(
        "on",
        "Whether contents of files that hold a secret are recorded only encrypted.",
        choices=("on", "off"),
    )
    key_file: str = _declare(
        "",
        "The file with the key for that, which is made on first need. By default in the user's "
        "config folder; it must not lie in the store.",
    )
    checkpoint_max_mib: int = _declare(10, "The most that one checkpoint may take, packed.")
    session_max_mib: int = _declare(1_024, "The most that a session's checkpoints may take.")
    store_max_gib: int = _declare(10, "The most that all checkpoints of the store may take.")
    keep_checkpoints: int = _declare(
        0, "How many checkpoints a session keeps, besides those with a marked key; 0 keeps all."
    )
    secret_file: str = _declare(
        "",
        "A file that only its owner can read, with the secret that accepting a proposal needs, if "
        f"it is not in {SECRET_VARIABLES[0]}.",
    )
    review_window_s: int = _declare(
        3_600, "Seconds a proposal must stand unchanged before it can be accepted."
    )
    git_folder: str = _declare(
        "",
        "Where the Git repositories of decisions lie. By default in the store's folder; for a "
        "store in PostgreSQL there are none unless this is set.",
    )
    anchor_file: str = _declare(
        "",
        "A file outside the store that gets the head of each journal every few seconds, so "
        "that `hansard verify` finds a store that was rolled back or rewritten.",
    )
    ssh: str = _declare(
        "ssh", "The command by which push and pull reach other machines, with its options."
    )
    remote_program: str = _declare(
        "hansard", "The name of the Hansard program on the machine that push and pull reach by SSH."
    )
    remember_days: int = _declare(
        30,
        "Read by `hansard gc`, not by a server: days for which the idempotency key of a call is "
        "remembered at least; after that `hansard gc --apply` forgets it, and the same key is a "
        "new call. 0 remembers all.",
    )
    stale_ticks: int = _declare(
        10, "Writes of others since its last sync from which a session counts as stale."
    )
    stale_moderate_ticks: int = _declare(50, "Writes from which that is called moderate.")
    stale_severe_ticks: int = _declare(200, "Writes from which it is called severe.")
    session: str = _declare("", "The session of calls that name none.")
    idle_minutes: int = _declare(
        15, "Minutes without activity after which a session is idle, though somebody is present."
    )
    away_minutes: int = _declare(
        120,
        "Minutes without activity after which a client over HTTP or a host's hooks count as gone.",
    )
    brief_tokens: int = _declare(
        600,
        "How many tokens about the state of the project a hook may put into the context of a new "
        "session; 0 puts none.",
    )
    toolsets: str = _declare(
        "default",
        "Which tools are listed: `default`, `core`, `all`, or capabilities, separated by commas.",
    )
    tools: str = _declare("", "More tools to list, by name, separated by commas.")
    read_only: bool = _declare(False, "Offer only what reads.")
    errors: str = _declare(
        "result",
        "How refusals reach an MCP client: as a tool `result`, or as `jsonrpc` errors.",
        choices=("result", "jsonrpc"),
    )
    embedder: str = _declare(
        "auto",
        "The embedder for search by meaning: `local` model, an `http` server, or `none`. `auto` "
        "is the server if its URL is set, else the local model if it is installed.",
        choices=("auto", "local", "http", "none"),
    )
    embedder_url: str = _declare(
        "",
        "The address of an OpenAI-compatible server, such as http://localhost:8080/v1. Its key is "
        f"read from {EMBEDDER_KEY_VARIABLE} only.",
    )
    embedder_model: str = _declare("", "The model that server is asked for.")
    host: str = _declare("127.0.0.1", "The address `hansard serve` listens on.")
    port: int = _declare(8377, "The port `hansard serve` listens on.")
    workers: int = _declare(
        1, "How many processes of `hansard serve` answer on the port, 64 at most."
    )
    allowed_hosts: str = _declare(
        "",
        "The names under which others reach `hansard serve`, such as hansard.example.org, "
        "separated by commas. Requests to other names are refused.",
    )
    tokens: str = _declare(
        "auto",
        "Whether callers over HTTP need a token. `auto` needs one once a token was made, and "
        "wherever others than this machine are served.",
        choices=("auto", "required", "optional"),
    )
    sso_issuer: str = _declare(
        "",
        "The identity provider whose access tokens let in, by its address, such as "
        "https://id.example.org. By default there is none.",
    )
    sso_audience: str = _declare(
        "",
        "The audience of access tokens: this server's address as clients use it, such as "
        "https://hansard.example.org/mcp.",
    )
    sso_groups: str = _declare(
        "",
        "Which groups of the provider have which role, in which projects: a table of the config "
        "file, elsewhere the same as JSON.",
        is_table=True,
    )
    sso_groups_claim: str = _declare("groups", "The claim that lists somebody's groups.")
    sso_name_claim: str = _declare(
        "preferred_username", "The claim that somebody is first called by; else it is the subject."
    )
    sso_role: str = _declare(
        "none",
        "The role, in all projects, of people whom the provider vouches for but no group lists.",
        choices=("none", "viewer", "agent", "admin"),
    )
    sso_scopes: str = _declare(
        "required",
        "Whether an access token must carry one of hansard:read, hansard:write and hansard:admin, "
        "and bounds the role by it.",
        choices=("required", "ignored"),
    )
    sso_people: str = _declare(
        "none",
        "Whom the provider proves to be people: `none`, those who sign in on the `page`, or `all`, "
        "bearers of access tokens too.",
        choices=("none", "page", "all"),
    )
    sso_client: str = _declare(
        "",
        "The id by which the provider knows the page, so that people sign in there. Its secret, if "
        f"it has one, is read from {CLIENT_SECRET_VARIABLE} only.",
    )
    sso_hours: int = _declare(8, "After how many hours somebody signs in on the page again.")
    rate_per_minute: int = _declare(
        600, "Requests a minute that a caller with a token may make; 0 sets no limit."
    )
    quota_mib_per_day: int = _declare(
        1_024, "What a caller with a token may send in a day; 0 sets no limit."
    )
    writes_per_day: int = _declare(
        20_000, "Writes that a caller with a token may make in a day; 0 sets no limit."
    )
    session_max_entries: int = _declare(
        20_000,
        "Entries after which a session takes no more writes of callers with a token; 0 sets no "
        "limit.",
    )
    limit_everyone: bool = _declare(
        False, "Whether these limits also count for callers without a token on this machine."
    )
    log: str = _declare(
        "off",
        "Whether `hansard serve` writes a line on stderr for each request, and how.",
        choices=("off", "text", "json"),
    )


@dataclass(frozen=True, slots=True)
class Declaration:
    """One setting as people see it."""

    name: str
    flag: str
    variable: str
    default: str | int | bool
    help: str
    choices: tuple[str, ...]
    is_table: bool = False
    """Whether the config file gives it as a table."""


def declarations() -> list[Declaration]:
    """List all settings."""
    return [
        Declaration(
            one.name,
            "--" + one.name.replace("_", "-"),
            PREFIX + one.name.upper(),
            cast("str | int | bool", one.default),
            one.metadata["help"],
            one.metadata["choices"],
            one.metadata["is_table"],
        )
        for one in fields(Settings)
    ]


def load(flags: Mapping[str, Any], environment: Mapping[str, str] | None = None) -> Settings:
    """Gather settings from flags (`None` means not given), variables and the config file."""
    chosen = {
        declared.name: _parse(declared, value, source)
        for declared, source, value in _given(flags, environment)
    }
    return Settings(**chosen)


def sources(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None = None
) -> dict[str, str]:
    """Say where each given setting was given; the others have their defaults."""
    return {declared.name: source for declared, source, _ in _given(flags, environment)}


def _given(
    flags: Mapping[str, Any], environment: Mapping[str, str] | None
) -> Iterator[tuple[Declaration, str, Any]]:
    """Find the first source that gives each setting, and what it gives."""
    environment = os.environ if environment is None else environment
    from_file = _read_file(environment)
    for declared in declarations():
        for source, value in (
            (declared.flag, flags.get(declared.name)),
            (declared.variable, environment.get(declared.variable) or None),
            ("the config file", from_file.get(declared.name)),
        ):
            if value is not None:
                yield declared, source, value
                break


def secret(settings: Settings, environment: Mapping[str, str] | None = None) -> str | None:
    """Give the secret that this server was set up with; `None` where there is none.

    One that is too short is refused: its owner would believe themselves safe.
    """
    environment = os.environ if environment is None else environment
    named = (environment.get(variable) for variable in SECRET_VARIABLES)
    given = next(filter(None, named), None) or _secret_in(settings)
    if given and len(given) < SECRET_CHARS_MIN:
        raise InvalidInput(
            f"The secret has {len(given)} characters; it takes at least {SECRET_CHARS_MIN}",
            hint=f"Choose a longer one for {SECRET_VARIABLES[0]} or secret_file, or set none",
            argument="secret",
        )
    return given or None


def _secret_in(settings: Settings) -> str | None:
    return read_secret_file(settings.secret_file, "secret_file") if settings.secret_file else None


def read_secret_file(name: str, argument: str) -> str:
    """Read the secret from a file that only its owner can read."""
    path = Path(name).expanduser()
    try:
        if path.stat().st_mode & 0o077:
            raise InvalidInput(
                "The secret's file can be read by others",
                hint="chmod 600 it, and choose another secret if it may have been read",
                argument=argument,
            )
        return path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidInput("The secret's file cannot be read", argument=argument) from error


def allowed_hosts(settings: Settings) -> list[str]:
    """List the names under which others than this machine reach the server."""
    return [host.strip().lower() for host in settings.allowed_hosts.split(",") if host.strip()]


def serves_others(settings: Settings) -> bool:
    """Whether the server can be reached from elsewhere: by itself, or through a proxy."""
    return settings.host not in LOOPBACK or bool(allowed_hosts(settings))


def embedder_key(environment: Mapping[str, str] | None = None) -> str | None:
    """Give the key of the server that embeds; `None` if it needs none."""
    environment = os.environ if environment is None else environment
    return environment.get(EMBEDDER_KEY_VARIABLE) or None


def client_secret(environment: Mapping[str, str] | None = None) -> str | None:
    """Give the secret by which the page identifies itself to the identity provider, if any."""
    environment = os.environ if environment is None else environment
    return environment.get(CLIENT_SECRET_VARIABLE) or None


def store_location(settings: Settings) -> str:
    """Say where the store is: a folder's path or a database URL."""
    return settings.store or str(Path(platformdirs.user_data_dir("hansard")) / "store")


def key_location(settings: Settings) -> Path:
    """Say where the key lies under which contents that hold secrets are kept."""
    named = settings.key_file or Path(platformdirs.user_config_dir("hansard")) / "recorder.key"
    return Path(named).expanduser()


def person_key_location(environment: Mapping[str, str]) -> Path:
    """Say where a person keeps, or would keep, the key file that no agent may read."""
    usual = Path(platformdirs.user_config_dir("hansard")) / "person.key"
    return Path(environment.get(PERSON_VARIABLE) or usual).expanduser().absolute()


def _read_file(environment: Mapping[str, str]) -> dict[str, Any]:
    named = environment.get(CONFIG_VARIABLE)
    path = Path(named or Path(platformdirs.user_config_dir("hansard")) / "config.toml")
    if not named and not path.is_file():
        return {}
    import tomllib

    try:
        read = tomllib.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise InvalidInput(f"The config file cannot be read: {error}") from error
    known = {declared.name for declared in declarations()}
    for name in read:
        if name not in known:
            raise InvalidInput(f"The config file sets {name}, which is not a setting")
    return read


def _parse(declared: Declaration, value: Any, source: str) -> Any:
    expected = type(declared.default)
    if isinstance(value, str) and not _is_text(value):
        raise InvalidInput(
            f"{source}: holds bytes that are not UTF-8", hint="Choose another name or path"
        )
    if type(value) is expected:
        parsed: Any = value
    elif declared.is_table and isinstance(value, dict):
        import json

        parsed = json.dumps(value, default=str)
    elif expected is bool and str(value).lower() in _BOOLEANS:
        parsed = _BOOLEANS[str(value).lower()]
    elif expected is int and str(value).isdecimal():
        parsed = int(value)
    else:
        kind = {bool: "yes or no", int: "a whole number", str: "text"}[expected]
        raise InvalidInput(f"{source}: must be {kind}, not {value!r}")
    if expected is int and parsed < 0:
        raise InvalidInput(f"{source}: must be 0 or more, not {value!r}")
    if declared.choices and parsed not in declared.choices:
        raise InvalidInput(f"{source}: must be one of {', '.join(declared.choices)}")
    return parsed


def _is_text(value: str) -> bool:
    """Whether it can be written as UTF-8; a path with bytes that are not cannot."""
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True


_BOOLEANS = {"1": True, "yes": True, "true": True, "on": True} | {
    "0": False,
    "no": False,
    "false": False,
    "off": False,
}
