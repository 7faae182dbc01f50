"""Every argument of every public function and method is described, with its default."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator
from types import ModuleType
from typing import Any

import lookalike
import lookalike.spark
import lookalike.tasks
import pytest
from lookalike._request import More


def public(module: ModuleType) -> Iterator[tuple[str, Callable[..., Any]]]:
    """The functions of a module, and the methods of its classes that users call."""
    for name in module.__all__:
        value = getattr(module, name)
        if inspect.isfunction(value):
            yield name, value
        # Errors are raised, and protocols implemented by others: users call neither.
        elif inspect.isclass(value) and not issubclass(value, Exception) and not getattr(value, "_is_protocol", False):
            for method, member in inspect.getmembers(value, inspect.isroutine):
                is_own = (getattr(member, "__module__", None) or "").startswith("lookalike")
                if is_own and not method.startswith("_"):
                    yield f"{name}.{method}", member


FUNCTIONS = dict(public(lookalike))
# These modules pass on the options of functions of the package, which refuse those that do not exist.
OF_MODULES = {
    f"{module.__name__.removeprefix('lookalike.')}.{name}": function
    for module in (lookalike.spark, lookalike.tasks)
    for name, function in public(module)
}
DOCUMENTED = {**FUNCTIONS, **OF_MODULES}


def described(docstring: str) -> dict[str, str]:
    """The parameters of a docstring, with what is said of each."""
    parts = re.split(r"^ *:param (\w+):", docstring, flags=re.MULTILINE)
    return {name: text.split("\n\n")[0] for name, text in zip(parts[1::2], parts[2::2], strict=True)}


def shown(default: object) -> str:
    """The form of a default in a docstring; empty if it stands for none, which is described in words."""
    if isinstance(default, str):
        return f'"{default}"'
    if isinstance(default, tuple) and len(default) == 1:
        return shown(default[0])
    if isinstance(default, (bool, int, float)):
        return f"{default:,}" if type(default) is int else str(default)
    return ""


@pytest.mark.parametrize("name", FUNCTIONS)
def test_an_argument_that_does_not_exist_is_named_by_every_function(name: str) -> None:
    takes_any = [parameter for parameter in inspect.signature(FUNCTIONS[name]).parameters if parameter != "self"]
    if takes_any:
        with pytest.raises(lookalike.UnknownOptionError, match=r"\(\) has no argument zzz="):
            FUNCTIONS[name](None, zzz=1)


def test_the_functions_are_found() -> None:
    assert {"dedup", "sets", "Index.create", "Index.search", "Dedup.report", "Table.head"} <= FUNCTIONS.keys()
    assert {"tasks.run", "tasks.stage", "spark.dedup", "spark.Result.select"} <= OF_MODULES.keys()


@pytest.mark.parametrize("name", DOCUMENTED)
def test_every_argument_is_described_with_its_default(name: str) -> None:
    function = DOCUMENTED[name]
    described_here = described(inspect.getdoc(function) or "")
    parameters = inspect.signature(function).parameters.values()
    expected = [parameter for parameter in parameters if parameter.name != "self"]
    for parameter in expected:
        # The one place where the seldom needed ones are described is below.
        if name == "dedup" and parameter.name == "more":
            continue
        assert parameter.name in described_here, f"{name}: {parameter.name} is not described"
        has_default = parameter.default is not inspect.Parameter.empty
        if has_default:
            assert "default" in described_here[parameter.name].lower(), f"{name}: {parameter.name} has no default"
            assert shown(parameter.default) in described_here[parameter.name], f"{name}: {parameter.name} has another default"
    more = More.__optional_keys__ if name == "dedup" else frozenset()
    unknown = described_here.keys() - {parameter.name for parameter in expected} - more
    assert not unknown, f"{name} has no {unknown}"


def test_what_is_seldom_needed_is_described_once() -> None:
    described_here = described(inspect.getdoc(lookalike.dedup) or "")
    for name in More.__optional_keys__:
        assert "default" in described_here[name].lower(), name
