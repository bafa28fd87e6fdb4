"""The session cache: any JSON value, alive for half an hour after its last use, within bounds."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from vademecum.errors import InvalidField
from vademecum.session import limits
from vademecum.session.cache import SessionCache

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


class Clock:
    def __init__(self) -> None:
        self.now = 1_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def cache(clock: Clock) -> SessionCache:
    return SessionCache(clock)


def value(cache: SessionCache, key: str, session: str = "s", place: str = "p") -> Any:
    found = cache.get([place], session, key)
    return None if found is None else found.value


@given(JSON)
def test_any_json_value_comes_back_as_it_was(value: object) -> None:
    cache = SessionCache()
    cache.set("p", "s", "k", value)
    found = cache.get(["p"], "s", "k")
    assert found is not None and found.value == value and type(found.value) is type(value)


def test_half_a_character_and_large_numbers_come_back(cache: SessionCache) -> None:
    strange = {"half": "\ud83d", "large": 10**400, "small": 5e-324, "zero": -0.0}
    cache.set("p", "s", "k", strange)
    assert repr(value(cache, "k")) == repr(strange)


def test_a_value_that_is_null_is_there() -> None:
    cache = SessionCache()
    cache.set("p", "s", "k", None)
    assert cache.get(["p"], "s", "k") is not None
    assert cache.get(["p"], "s", "other") is None


def test_nobody_changes_a_value_from_outside(cache: SessionCache) -> None:
    mine: dict[str, list[int]] = {"a": [1]}
    cache.set("p", "s", "k", mine)
    mine["a"].append(2)
    value(cache, "k")["a"].append(3)
    assert value(cache, "k") == {"a": [1]}


def test_a_value_dies_half_an_hour_after_its_last_use(cache: SessionCache, clock: Clock) -> None:
    cache.set("p", "s", "used", 1)
    cache.set("p", "s", "unused", 2)
    for _ in range(3):
        clock.now += 1_799
        assert value(cache, "used") == 1
    assert value(cache, "unused") is None
    clock.now += 1_800
    assert value(cache, "used") is None
    assert cache.keys(["p"], "s") == ()


def test_looking_at_the_keys_is_no_use(cache: SessionCache, clock: Clock) -> None:
    cache.set("p", "s", "k", [1, 2])
    clock.now += 1_000
    (told,) = cache.keys(["p"], "s")
    assert (told.key, told.bytes, told.seconds) == ("k", len("[1,2]"), 800)
    clock.now += 800
    assert value(cache, "k") is None


def test_a_caller_may_say_how_long(cache: SessionCache, clock: Clock) -> None:
    cache.set("p", "s", "short", 1, 10)
    cache.set("p", "s", "long", 2, 86_400)
    clock.now += 9
    assert value(cache, "short") == 1  # and ten more seconds
    clock.now += 9
    assert value(cache, "short") == 1
    clock.now += 10
    assert value(cache, "short") is None and value(cache, "long") == 2


def test_sessions_and_places_are_apart(cache: SessionCache) -> None:
    cache.set("p", "s", "k", 1)
    assert value(cache, "k", session="t") is None
    assert value(cache, "k", place="q") is None
    cache.set("q", "s", "k", 2)
    assert value(cache, "k") == 1
    found = cache.get(["q", "p"], "s", "k")
    assert found is not None and found.value == 2
    assert [told.key for told in cache.keys(["q", "p"], "s")] == ["k"]
    cache.drop("p")
    assert value(cache, "k") is None and value(cache, "k", place="q") == 2


def test_what_was_used_least_lately_makes_room_in_a_session(cache: SessionCache) -> None:
    for number in range(limits.SESSION_VALUES):
        assert cache.set("p", "s", str(number), number) == ()
    assert value(cache, "0") == 0
    assert cache.set("p", "s", "one more", 1) == ("1",)
    assert value(cache, "0") == 0 and value(cache, "1") is None
    assert len(cache.keys(["p"], "s")) == limits.SESSION_VALUES
    assert cache.set("p", "s", "5", "again") == ()


def test_a_session_is_bounded_in_bytes(cache: SessionCache) -> None:
    large = "x" * (limits.VALUE_BYTES - 2)
    for number in range(4):
        assert cache.set("p", "s", str(number), large) == ()
    assert cache.set("p", "s", "4", large) == ("0",)
    assert sum(told.bytes for told in cache.keys(["p"], "s")) == limits.SESSION_BYTES


def test_all_sessions_together_are_bounded(cache: SessionCache) -> None:
    for number in range(limits.SESSIONS):
        cache.set("p", str(number), "k", number)
    assert value(cache, "k", session="0") == 0
    cache.set("p", "one more", "k", 1)
    assert value(cache, "k", session="0") == 0 and value(cache, "k", session="1") is None
    large = "x" * (limits.VALUE_BYTES - 2)
    for number in range(30):
        for key in range(4):
            cache.set("p", str(number), str(key), large)
    kept = sum(told.bytes for n in range(limits.SESSIONS) for told in cache.keys(["p"], str(n)))
    assert kept <= limits.ALL_BYTES and value(cache, "3", session="29") == large


def test_deleting(cache: SessionCache) -> None:
    for key in "abc":
        cache.set("p", "s", key, key)
    assert cache.delete(["p"], "s", "a") == 1
    assert cache.delete(["p"], "s", "a") == 0
    assert cache.delete(["p"], "s") == 2
    assert cache.delete(["p"], "s") == 0 and cache.keys(["p"], "s") == ()


def nested(depth: int) -> object:
    value: object = 1
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("field", "arguments"),
    [
        ("session", ("", "k", 1)),
        ("session", (" \n", "k", 1)),
        ("session", ("s" * 201, "k", 1)),
        ("key", ("s", "", 1)),
        ("key", ("s", "k" * 201, 1)),
        ("ttl", ("s", "k", 1, 0)),
        ("ttl", ("s", "k", 1, 86_401)),
        ("value", ("s", "k", "x" * limits.VALUE_BYTES)),
        ("value", ("s", "k", "é" * (limits.VALUE_BYTES // 2))),
        ("value", ("s", "k", nested(limits.DEPTH + 1))),
        ("value", ("s", "k", nested(100_000))),
        ("value", ("s", "k", float("nan"))),
        ("value", ("s", "k", [float("inf")])),
    ],
)
def test_what_cannot_be_kept_is_named(cache: SessionCache, field: str, arguments: tuple[Any, ...]) -> None:
    cache.set("p", "s", "k", "before")
    with pytest.raises(InvalidField) as caught:
        cache.set("p", *arguments)
    assert caught.value.field == field
    assert value(cache, "k") == "before"


def test_what_is_just_within_the_bounds_is_kept(cache: SessionCache) -> None:
    deepest = nested(limits.DEPTH)
    cache.set("p", "s" * 200, "k" * 200, deepest)
    found = cache.get(["p"], "s" * 200, "k" * 200)
    assert found is not None and json.dumps(found.value) == json.dumps(deepest)
