"""The list of tools: what is on it for whom, what it says of each, and what it costs to read."""

import re
from typing import Any

import pytest
from pydantic import ValidationError

from hansard.app.application import Application
from hansard.app.catalog import Catalog
from hansard.app.parameters import COMMON, WORDS, speaks_of
from hansard.app.schema import input_schema
from hansard.app.settings import Settings
from hansard.app.start import catalog
from hansard.kernel.event import Actor, Role
from hansard.kernel.problem import InvalidInput
from hansard.mcp.cards import BUDGETS
from hansard.mcp.hints import ALWAYS_LOAD_KEY, ALWAYS_LOADED, SEARCH_HINT_KEY, SEARCH_HINTS
from hansard.mcp.instructions import instructions
from hansard.mcp.tools import Toolbox, budget_tokens
from tests import toy


def actor(role: Role = "agent") -> Actor:
    return Actor("agent", "test", role)


def names(known: Catalog, *, role: Role = "agent", **settings: Any) -> list[str]:
    return [tool.name for tool in Toolbox(known, Settings(**settings)).listed(actor(role))]


@pytest.fixture
def known() -> Catalog:
    return Catalog([*catalog().capabilities, toy.CAPABILITY])


@pytest.mark.parametrize(("toolset", "tokens_max"), BUDGETS.items())
def test_a_tool_list_stays_within_its_budget(toolset: str, tokens_max: int) -> None:
    listed = Toolbox(catalog(), Settings(toolsets=toolset)).listed(actor("admin"))

    assert budget_tokens(listed) <= tokens_max


def test_the_budgets_are_what_was_promised() -> None:
    assert BUDGETS == {"all": 9_000, "default": 4_200, "core": 1_500}


def described(toolset: str) -> dict[str, bool]:
    """Say of each parameter that is listed whether there are words about it."""
    listed = Toolbox(catalog(), Settings(toolsets=toolset)).listed(actor("admin"))
    return {
        f"{tool.name}.{name}": "description" in field
        for tool in listed
        for name, field in tool.input_schema["properties"].items()
    }


def test_every_parameter_is_described_where_nothing_else_says_what_it_is() -> None:
    spoken_of = {
        f"{one.name}.{name}"
        for one in catalog()
        for name in input_schema(one)["properties"]
        if name in COMMON or speaks_of(one, name)
    }

    for toolset in ("core", "all"):
        untold = {name for name, is_told in described(toolset).items() if not is_told}
        assert untold <= spoken_of
    by_default = described("default")
    for name in ("create_record.type", "record_step.index", "create_record.related"):
        assert by_default[name]


def test_the_words_about_parameters_are_of_those_there_are_and_few() -> None:
    parameters = {one.name: input_schema(one)["properties"].keys() for one in catalog()}
    taken = {
        name: {f"{tool}.{name}" for tool, names in parameters.items() if name in names}
        for name in set().union(*parameters.values())
    }
    known = {*taken, *(one for ones in taken.values() for one in ones)}

    assert WORDS.keys() <= known
    assert all(name in WORDS or ones <= WORDS.keys() for name, ones in taken.items())
    assert max(map(len, WORDS.values())) <= 50
    assert set(re.findall(r"\w+", instructions(()))) | {"sessionId"} >= COMMON


@pytest.mark.holds("ALL-13.6")
def test_core_is_what_a_small_model_needs() -> None:
    assert set(names(catalog(), toolsets="core")) == {
        "get_project_overview", "activate", "create_record", "update_record",
        "record_decision", "search_decisions", "search",
    }  # fmt: skip


@pytest.mark.holds("ALL-13.5", "ALL-00.3")
def test_default_is_records_and_what_the_other_capabilities_cannot_do_without() -> None:
    listed = set(names(catalog(), toolsets="default"))

    assert listed > set(names(catalog(), toolsets="core"))
    assert listed >= {
        "file_op", "record_session_start", "record_plan", "record_step", "audit_event",
        "record_session_end", "workflow_checkpoint_save", "workflow_checkpoint_load",
        "supersede_decision", "search_records", "transition", "sync_session", "propose_decision",
        "undo", "restore", "get_story", "get_timeline", "get_evolution", "list_sessions",
    }  # fmt: skip
    assert set(names(catalog(), toolsets="all")) >= {
        "workflow_checkpoint_list", "workflow_mark_critical", "workflow_checkpoint_delete",
        "workflow_checkpoint_diff",
    }  # fmt: skip
    assert not {name for name in listed if name.startswith(("entity_", "metric_"))}


@pytest.mark.holds("ALL-12.6")
def test_all_lists_every_operation_once_in_the_order_of_the_catalog(known: Catalog) -> None:
    # Nothing can be accepted without a secret, so that is listed only where one is set.
    expected = [one.name for one in known if not one.needs_secret]

    assert names(known, role="admin", toolsets="all") == expected


@pytest.mark.holds("ALL-12.6")
def test_toolsets_and_single_tools_add_up_without_repeating(known: Catalog) -> None:
    listed = names(known, toolsets="toy, toy", tools="toy_list,list_projects")

    assert listed == ["list_projects", *(one.name for one in toy.CAPABILITY.operations)]


@pytest.mark.holds("ALL-13.9")
def test_an_alias_is_listed_only_when_it_is_named(known: Catalog) -> None:
    core = names(known, toolsets="core")

    assert "toy_more" not in names(known, toolsets="all")
    assert names(known, toolsets="core", tools="toy_more") == [*core, "toy_more"]


def test_a_viewer_and_a_server_that_only_reads_are_shown_only_what_reads(known: Catalog) -> None:
    reading = [one.name for one in known if not one.writes]

    assert names(known, toolsets="all", read_only=True) == reading
    # Files of the workspace that nobody has recorded are not for everyone who may see the record.
    assert names(known, toolsets="all", role="viewer") == [n for n in reading if n != "file_read"]


@pytest.mark.parametrize("setting", ["toolsets", "tools"])
def test_an_unknown_name_in_the_settings_is_refused_with_the_choices(
    known: Catalog, setting: str
) -> None:
    named: dict[str, Any] = {setting: "nonsense"}

    with pytest.raises(InvalidInput) as refusal:
        Toolbox(known, Settings(**named))

    assert "nonsense" in refusal.value.message
    assert ("toy_list" if setting == "tools" else "core") in refusal.value.message


def test_each_tool_says_what_it_may_do(application: Application) -> None:
    for tool in Toolbox(application.catalog, Settings(toolsets="all")).listed(actor("admin")):
        operation = application.catalog.find(tool.name)
        hints = tool.annotations

        assert hints
        assert hints.read_only_hint is not operation.writes
        assert hints.destructive_hint is operation.destructive
        assert hints.idempotent_hint is (operation.repeatable or not operation.writes)
        assert hints.open_world_hint is False


def parts(schema: Any) -> list[dict[str, Any]]:
    """Give a schema and all that is inside it."""
    if isinstance(schema, list):
        return [part for item in schema for part in parts(item)]
    if not isinstance(schema, dict):
        return []
    return [schema, *(part for value in schema.values() for part in parts(value))]


def test_the_schemas_are_closed_plain_and_without_noise(known: Catalog) -> None:
    for tool in Toolbox(known, Settings(toolsets="all")).listed(actor("admin")):
        schema = tool.input_schema

        assert schema["type"] == "object"
        assert not {"oneOf", "anyOf", "allOf", "not", "enum", "$ref"} & schema.keys()
        for part in parts(schema):
            assert not isinstance(part.get("title"), str), tool.name
            if isinstance(part.get("properties"), dict) and "type" in part:
                # 001 keeps whatever else stands in a checkpoint's metadata.
                is_open = tool.name == "workflow_checkpoint_save" and "tags" in part["properties"]
                assert part.get("additionalProperties", True) is is_open, tool.name


def test_no_argument_is_listed_as_a_union_but_with_null(known: Catalog) -> None:
    """Hosts that check schemas strictly warn of each, at every start."""
    for tool in Toolbox(known, Settings(toolsets="all")).listed(actor("admin")):
        for part in parts(tool.input_schema):
            kinds = part.get("type")
            assert not {"anyOf", "oneOf", "allOf"} & part.keys(), tool.name
            assert not isinstance(kinds, list) or [k for k in kinds if k != "null"] == kinds[:1]


ASKED: dict[str, dict[str, Any]] = {
    "record_decision": {"title": "t", "target": "x", "rationale": "It was measured."},
    "metric_query": {"name": "ms"},
    "undo": {"entry": "s:1", "preview": True},
}


@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("record_decision", {"consequences": "one text"}),
        ("record_decision", {"consequences": ["several", "texts"]}),
        ("metric_query", {"since": 1_700_000_000_000}),
        ("metric_query", {"since": "1700000000000"}),
        ("metric_query", {"since": "2026-01-01T00:00:00Z"}),
        ("undo", {"take": "mine"}),
        ("undo", {"take": {"a.py": "mine"}}),
    ],
)
def test_the_form_that_is_not_listed_is_taken_all_the_same(
    known: Catalog, name: str, given: dict[str, Any]
) -> None:
    taken = known.find(name).request.model_validate(ASKED[name] | given)

    assert given.keys() <= taken.model_fields_set


def test_milliseconds_in_a_text_are_milliseconds_and_a_year_is_none(known: Catalog) -> None:
    query = known.find("metric_query").request
    as_text = query.model_validate({"since": "1700000000000"})

    assert as_text == query.model_validate({"since": 1_700_000_000_000})
    with pytest.raises(ValidationError):
        query.model_validate({"since": "2026"})


@pytest.mark.parametrize("toolset", BUDGETS)
def test_a_few_entry_tools_are_always_loaded_in_every_list(toolset: str) -> None:
    listed = Toolbox(catalog(), Settings(toolsets=toolset)).listed(actor())
    metas = {tool.name: tool.meta or {} for tool in listed}
    loaded = [name for name, meta in metas.items() if meta.get(ALWAYS_LOAD_KEY) is True]

    assert 3 <= len(loaded) <= 5
    assert {*loaded} == ALWAYS_LOADED
    assert all(isinstance(metas[name][SEARCH_HINT_KEY], str) for name in loaded)


def test_every_tool_of_the_default_list_says_by_which_words_it_is_looked_for() -> None:
    listed = Toolbox(catalog(), Settings()).listed(actor())

    assert [tool.name for tool in listed if SEARCH_HINT_KEY not in (tool.meta or {})] == []
    assert {*SEARCH_HINTS} <= {tool.name for tool in listed}


NEEDED_BY_DEFAULT = """
    get_project_overview activate create_record update_record transition sync_session search file_op
    undo restore record_plan record_step get_story record_decision propose_decision
    search_decisions workflow_checkpoint_save workflow_checkpoint_load
"""


def test_the_default_list_holds_what_an_agent_needs() -> None:
    assert {*NEEDED_BY_DEFAULT.split()} <= {*names(catalog())}


def test_a_schema_is_found_by_name_and_by_alias_whether_listed_or_not(known: Catalog) -> None:
    toolbox = Toolbox(known, Settings(toolsets="core"))

    assert toolbox.schema("toy_go_on") == toolbox.schema("toy_more")
    assert toolbox.schema("toy_go_on") is not None
    assert toolbox.schema("nonsense") is None


@pytest.mark.parametrize("role", ["agent", "admin"])
def test_accepting_is_listed_where_it_can_succeed(
    role: Role, monkeypatch: pytest.MonkeyPatch
) -> None:
    without = Toolbox(catalog(), Settings(toolsets="all")).names(actor(role))
    monkeypatch.setenv("HANSARD_SECRET", "a secret that is long enough")
    known = catalog()

    assert "accept_proposal" not in without
    choices: list[dict[str, Any]] = [{"toolsets": "all"}, {"tools": "accept_proposal"}]
    for chosen in choices:
        assert "accept_proposal" in names(known, role=role, **chosen)
    assert "accept_proposal" not in Toolbox(known, Settings(toolsets="all")).names(actor("viewer"))
