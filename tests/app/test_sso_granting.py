"""What groups give: a role, and never more of it than one of them says."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hansard.app.sso.granting import Grant, granted, groups_in, read_table, scope_role
from hansard.kernel.event import ROLES, Role

TABLE = {
    "admins": Grant("admin"),
    "shop": Grant("agent", ("shop",)),
    "web": Grant("agent", ("web", "shop")),
    "lead": Grant("admin", ("web",)),
    "auditors": Grant("viewer"),
}


@pytest.mark.parametrize(
    ("groups", "grant"),
    [
        (["shop"], Grant("agent", ("shop",))),
        (["web", "shop"], Grant("agent", ("shop", "web"))),
        (["lead", "shop"], Grant("admin", ("web",))),
        (["lead", "auditors"], Grant("admin", ("web",))),
        (["admins", "lead"], Grant("admin")),
        (["auditors"], Grant("viewer")),
        (["others"], None),
        ([], None),
    ],
)
def test_of_several_groups_the_highest_role_counts_where_it_was_given(
    groups: list[str], grant: Grant | None
) -> None:
    assert granted(groups, TABLE, None) == grant


def test_who_is_in_no_group_of_the_table_has_what_everybody_has() -> None:
    assert granted(["others"], TABLE, Grant("viewer")) == Grant("viewer")
    assert granted(["shop"], TABLE, Grant("admin")) == Grant("agent", ("shop",))


names = st.sampled_from(["a", "b", "c", "d"])
grants = st.builds(
    Grant, st.sampled_from(ROLES), st.none() | st.lists(names, min_size=1).map(tuple)
)


@given(st.dictionaries(names, grants), st.lists(names))
def test_nobody_gets_a_role_in_a_project_that_no_single_group_gives_there(
    table: dict[str, Grant], groups: list[str]
) -> None:
    grant = granted(groups, table, None)

    def gives(one: Grant, role: Role, project: str | None) -> bool:
        sees = one.projects is None or (project is not None and project in one.projects)
        return one.role == role and sees

    if grant is not None:
        for project in [None] if grant.projects is None else grant.projects:
            assert any(gives(table[one], grant.role, project) for one in groups if one in table)


@pytest.mark.parametrize(
    ("claims", "name", "found"),
    [
        ({"groups": ["a", 7, "b"]}, "groups", ["a", "b"]),
        ({"groups": "a"}, "groups", ["a"]),
        ({"realm_access": {"roles": ["a"]}}, "realm_access.roles", ["a"]),
        ({"https://x.example/groups": ["a"]}, "https://x.example/groups", ["a"]),
        ({"groups": {"a": 1}}, "groups", None),
        ({}, "groups", None),
        ({"realm_access": 7}, "realm_access.roles", None),
    ],
)
def test_groups_are_found_where_the_claim_says(
    claims: dict[str, Any], name: str, found: list[str] | None
) -> None:
    assert groups_in(claims, name) == found


@pytest.mark.parametrize(
    ("claims", "role"),
    [
        ({"scope": "openid hansard:read"}, "viewer"),
        ({"scope": "hansard:read hansard:write"}, "agent"),
        ({"scp": ["hansard:admin"]}, "admin"),
        ({"scope": "hansard:writer hansard"}, None),
        ({"scope": 7}, None),
        ({}, None),
    ],
)
def test_scopes_reach_to_a_role(claims: dict[str, Any], role: Role | None) -> None:
    assert scope_role(claims) == role


def test_a_table_is_a_role_or_a_role_and_projects() -> None:
    text = '{"a": "viewer", "b": {"role": "agent", "projects": ["x"]}, "c": {"role": "admin"}}'

    assert read_table(text) == {
        "a": Grant("viewer"), "b": Grant("agent", ("x",)), "c": Grant("admin"),
    }  # fmt: skip
