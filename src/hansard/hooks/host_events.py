"""Parses every host's hook events into one form. Pure.

Hosts copied each other's hooks and changed the spelling: `session_id` is `sessionId` or
`conversation_id`, what a tool answered is `tool_response`, `tool_result` or `toolResult`. Some read
each other's settings files, so the reporting host is recognized by its event and its environment,
and only then by the name in the settings.
"""

import json
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

SESSION_CHARS_MAX = 190
"""A length that leaves room for the number of a part."""

CALL_CHARS_MAX = 200
"""The length of a host's id; longer ones are cut."""

HOSTS = (
    "claude-code",
    "codex",
    "gemini-cli",
    "qwen-code",
    "copilot-cli",
    "vscode",
    "cursor",
    "windsurf",
    "opencode",
    "cline",
    "droid",
)
"""The hosts whose hooks are known, by the names that `hansard init` has for them."""

HEARD_BEFORE_TOOLS = ("cline",)
"""Hosts that accept a hook's text only before a tool is used, whichever it is."""

RECORDED = ("edit", "shell")
"""Kinds of tools whose use is recorded."""

OWN = "hansard__"
"""The prefix of our tools' names in such a host."""

Json = Mapping[str, Any]

_EVENTS = {
    "start": (
        *("sessionstart", "taskstart", "taskresume", "agentstart", "agentresume"),
        "sessioncreated",
    ),
    "end": ("sessionend", "sessionshutdown", "sessiondeleted"),
    "prompt": (
        "userpromptsubmit",
        "userpromptsubmitted",
        "beforeagent",
        "beforesubmitprompt",
        "preuserprompt",
        "promptsubmit",
        "chatmessage",
    ),
    "before": (
        "pretooluse",
        "beforetool",
        "toolexecutebefore",
        "toolcall",
        "beforeshellexecution",
        "preruncommand",
        "prewritecode",
    ),
    "after": (
        "posttooluse",
        "posttoolusefailure",
        "aftertool",
        "toolexecuteafter",
        "toolresult",
        "afterfileedit",
        "aftershellexecution",
        "postruncommand",
        "postwritecode",
    ),
    "compacting": ("precompact", "precompress", "experimentalsessioncompacting"),
    "compacted": ("postcompact",),
    "subagent": ("subagentstart", "subagentstop"),
    "nothing": (
        *("stop", "stopfailure", "agentstop", "agentend", "afteragent", "notification"),
        *("agentabort", "agenterror"),
        *("taskcomplete", "taskerror", "taskcancel", "taskcreated", "taskcompleted"),
        *("permissionrequest", "permissiondenied", "posttoolbatch", "messagedisplay"),
        *("beforemodel", "aftermodel", "beforetoolselection", "filechanged", "shellenv"),
        *("aftermcpexecution", "beforemcpexecution", "beforereadfile", "afteragentresponse"),
        *("afteragentthought", "erroroccurred", "event", "init", "premcptooluse"),
        *("postmcptooluse", "postcascaderesponse", "instructionsloaded", "cwdchanged"),
    ),
}
_MEANING = {name: meaning for meaning, names in _EVENTS.items() for name in names}

_EDITING = frozenset(
    (
        *("edit", "write", "multiedit", "notebookedit", "replace", "writefile", "create"),
        *("applypatch", "strreplace", "delete", "createfile", "replacestringinfile"),
        *("multireplacestringinfile", "inserteditintofile", "deletefile", "renamefile"),
        *("movefile", "editor", "writetofile", "replaceinfile", "newrule", "editnotebookfile"),
        *("strreplaceeditor", "strreplacebasededittool", "patch", "multiapplypatch"),
    )
)
_SHELLS = frozenset(
    (
        *("bash", "powershell", "shell", "runshellcommand", "execute", "runinterminal"),
        *("runcommands", "executecommand", "localshell", "execcommand", "unifiedexec"),
        *("runterminalcmd", "runcommand", "terminal"),
    )
)

_SESSION = (
    *("session_id", "sessionId", "sessionID", "conversation_id", "conversationId"),
    *("trajectory_id", "taskId", "thread_id", "threadId"),
)
_CALL = ("tool_use_id", "toolUseId", "tool_call_id", "toolCallId", "callID", "call_id", "callId")
_TURN = ("timestamp", "prompt_id", "turn_id", "generation_id", "message_id")
_TOOL = ("tool_name", "toolName", "tool")
_ASKED = ("tool_input", "toolInput", "toolArgs", "args", "parameters", "input")
_ANSWERED = ("tool_response", "tool_result", "toolResult", "output", "result", "metadata")
_ROOTS = (
    *("CLAUDE_PROJECT_DIR", "GEMINI_PROJECT_DIR", "QWEN_PROJECT_DIR", "COPILOT_PROJECT_DIR"),
    *("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR", "CURSOR_PROJECT_DIR"),
)
_SIGNS = (
    ("copilot-cli", ("COPILOT_PROJECT_DIR", "COPILOT_AGENT_SESSION_ID")),
    ("qwen-code", ("QWEN_CODE_SESSION_ID", "QWEN_PROJECT_DIR")),
    ("droid", ("FACTORY_PROJECT_DIR", "DROID_PROJECT_DIR")),
    ("gemini-cli", ("GEMINI_SESSION_ID", "GEMINI_PROJECT_DIR")),
    ("cursor", ("CURSOR_VERSION", "CURSOR_PROJECT_DIR")),
)
"""The variables that a host has in the environment of its hooks and of nothing else."""


_NOTHING: Json = {}


class HostTold(NamedTuple):
    """A host's event, in our words."""

    event: str
    """start, end, prompt, before, after, compacting, compacted, subagent."""
    session: str
    host: str
    root: str | None = None
    """The folder of the project, if the host says so."""
    cwd: str | None = None
    call: str | None = None
    """What tells this event from every other of its session; `None` if the host does not."""
    pair: str = ""
    """What a call has in common before and after it."""
    tool: str = ""
    """edit, shell, own for one of our tools; empty for what we do not record."""
    asked: Json = _NOTHING
    answered: Json = _NOTHING
    failed: bool = False
    prompt: str = ""
    source: str = ""
    """Why a session began or is compacted, or the name of a subagent."""
    said: str = ""
    """What a subagent said at its end, or a host of what it compacted."""


def meaning_of(told: Json, event: str = "") -> str:
    """Say what an event means to us: `nothing` if it is known and not needed, empty if unknown."""
    name = _name_of(told, event)
    return _MEANING.get(name, "") if name else _guessed(told)


def read(
    told: Json, environment: Mapping[str, str], *, host: str = "", event: str = ""
) -> HostTold | None:
    """Parse an event of any host; `None` if there is nothing in it to record."""
    meaning = meaning_of(told, event)
    flat = _flat(told)
    session = _text(flat, _SESSION)
    if meaning in ("", "nothing") or not session:
        return None
    kind, asked, answered = _tool(flat, _name_of(told, event))
    named_by = _host(flat, environment, session, host)
    is_heard = meaning == "before" and named_by in HEARD_BEFORE_TOOLS
    if meaning in ("before", "after") and kind not in RECORDED and not is_heard:
        return None
    prompt = _prompt(flat) if meaning == "prompt" else ""
    if meaning == "prompt" and not prompt.strip():
        return None
    return HostTold(
        event=meaning,
        session=session_id(session),
        host=named_by,
        root=_root(flat, environment),
        cwd=_text(flat, ("cwd", "directory")) or _text(_object(flat, "tool_info"), ("cwd",)),
        call=_call(flat),
        pair=_text(flat, _CALL) or _digest([session, kind, asked]),
        tool=kind,
        asked=asked,
        answered=answered,
        failed="fail" in _name_of(told, event) or answered.get("success") is False,
        prompt=prompt,
        source=_text(flat, ("source", "trigger", "agent_type", "agentType", "reason")) or "",
        said=_text(flat, ("last_assistant_message", "compact_summary")) or "",
    )


def session_id(text: str) -> str:
    """Make a host's id one that a session can have."""
    fit = "".join(char for char in text.strip() if char.isprintable())
    return fit.encode(errors="replace").decode()[:SESSION_CHARS_MAX]


def _flat(told: Json) -> dict[str, Any]:
    """Give the fields of an event side by side that a host has in a table within it."""
    flat = dict(told)
    for name in ("i", "o", "tool_call", "tool_result"):
        inner = told.get(name)
        if isinstance(inner, dict):
            flat = {**inner, **flat}
    call = _object(told, "tool_call") or _object(told, "tool_result")
    if isinstance(call.get("name"), str):
        # As one host has it, a call is a table of its own: id, name, input and output.
        flat |= {"tool_name": call["name"], "tool_use_id": call.get("id")}
        flat |= {"tool_input": call.get("input"), "tool_response": call.get("output")}
    return flat


def _tool(flat: Json, name: str) -> tuple[str, Json, Json]:
    """Say what kind of tool was used, what it was asked and what it answered."""
    info = _object(flat, "tool_info")
    if name in ("afterfileedit", "prewritecode", "postwritecode"):
        return "edit", info or flat, {}
    if name.endswith(("shellexecution", "runcommand")):
        return "shell", info or flat, {}
    tool = _plain(_text(flat, _TOOL) or "")
    kind = "edit" if tool in _EDITING else "shell" if tool in _SHELLS else ""
    asked = next((found for key in _ASKED if (found := _object(flat, key))), {})
    answers = {key: _object(flat, key) for key in _ANSWERED}
    answered = {key: value for one in reversed(answers.values()) for key, value in one.items()}
    if not kind and (_text(flat, _TOOL) or "").startswith(OWN):
        kind = "own"
    return kind, asked, answered


def _prompt(flat: Json) -> str:
    """Give the user's words; one host has them in parts."""
    said = flat.get("prompt", flat.get("user_prompt"))
    parts = flat.get("parts")
    if said is None and isinstance(parts, list):
        texts = [one.get("text") for one in parts if isinstance(one, dict)]
        said = "\n".join(text for text in texts if isinstance(text, str))
    said = said or _text(_object(flat, "tool_info"), ("user_prompt",))
    said = said or _text(_object(flat, "userPromptSubmit"), ("prompt",))
    return said if isinstance(said, str) else ""


def _call(flat: Json) -> str | None:
    given = _text(flat, _CALL)
    if given is None:
        turn = {"message_id": _object(flat, "message").get("id"), **flat}
        named = [str(turn[key]) for key in _TURN if isinstance(turn.get(key), str | int)]
        given = _moment(named[0]) if named else None
    return given[:CALL_CHARS_MAX] if given else None


def _moment(text: str) -> str:
    """Write a time in one way, as milliseconds: one host gives it in two."""
    if "T" not in text or not text[:4].isdecimal():
        return text
    from datetime import datetime

    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        return text
    return str(round(moment.timestamp() * 1000))


def _host(flat: Json, environment: Mapping[str, str], session: str, given: str) -> str:
    if environment.get("CLAUDE_CODE_SESSION_ID") == session:
        return "claude-code"
    shapes = (
        ("cursor", "conversation_id"),
        ("windsurf", "agent_action_name"),
        ("cline", "clineVersion"),
        ("opencode", "sessionID"),
    )
    told = next((host for host, key in shapes if key in flat), None)
    signed = (host for host, names in _SIGNS if any(environment.get(name) for name in names))
    return told or next(signed, None) or given or "unknown"


def _root(flat: Json, environment: Mapping[str, str]) -> str | None:
    named = next((environment[name] for name in _ROOTS if environment.get(name)), None)
    if named:
        return named
    for key in ("workspace_roots", "workspaceRoots"):
        roots = flat.get(key)
        if isinstance(roots, list) and roots and isinstance(roots[0], str) and roots[0]:
            return roots[0]
    inner = _text(_object(flat, "workspaceInfo"), ("rootPath",))
    return inner or _text(flat, ("cwd", "directory"))


def _name_of(told: Json, event: str) -> str:
    """Give an event's name in small letters; one host gives it only on the command line."""
    named = _text(told, ("hook_event_name", "hookEventName", "hookName", "agent_action_name", "k"))
    return _plain(named or event)


def _guessed(told: Json) -> str:
    """Recognize an event without a name by its fields."""
    if "toolResult" in told or "tool_response" in told:
        return "after"
    if "toolArgs" in told or "tool_input" in told:
        return "before"
    if "prompt" in told:
        return "prompt"
    return ""


def _plain(name: str) -> str:
    return "".join(char for char in name.lower() if char.isalnum())


def _text(told: Json, names: Iterable[str]) -> str | None:
    for name in names:
        value = told.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _object(told: Json, name: str) -> Json:
    """Give a field that is a table; a host may send it as text, or in a table of its own."""
    value = told.get(name)
    if isinstance(value, str) and value[:1] == "{":
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}


def _digest(value: object) -> str:
    # Loaded here, since most hosts name their calls.
    from hashlib import sha256

    return sha256(json.dumps(value, sort_keys=True, default=str).encode()).hexdigest()[:32]
