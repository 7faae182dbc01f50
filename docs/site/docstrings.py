"""Docstrings as Markdown: examples become blocks of code, and references to other functions become code."""

import re
from typing import Any

from griffe import Extension, Module, Object

EXAMPLE = re.compile(r"(?:^>>> .*\n(?:^(?!\n).*\n?)*)+", re.MULTILINE)
REFERENCE = re.compile(r":(?:func|class|meth|attr|mod):`~?([^`]+)`")


class Markdown(Extension):
    """Rewrites each docstring before it is parsed."""

    def on_object(self, *, obj: Object, **_: Any) -> None:
        rewrite(obj)

    def on_module(self, *, mod: Module, **_: Any) -> None:
        rewrite(mod)


def rewrite(documented: Object) -> None:
    if documented.docstring is None or "```" in documented.docstring.value:
        return
    text = REFERENCE.sub(r"`\1`", documented.docstring.value)
    documented.docstring.value = EXAMPLE.sub(lambda example: f"```python\n{example[0].rstrip()}\n```\n", text)
