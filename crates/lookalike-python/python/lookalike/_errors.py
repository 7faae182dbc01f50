"""Errors of the package, each with the values it is about as attributes."""

from __future__ import annotations

from typing import Any


class LookalikeError(Exception):
    """Any error of lookalike. ``fields`` has what it is about; each is an attribute as well."""

    def __init__(self, message: str, **fields: Any) -> None:
        super().__init__(message)
        self.message = message
        self.fields = fields
        for name, value in fields.items():
            setattr(self, name, value)

    def __str__(self) -> str:
        return self.message

    def __getattr__(self, name: str) -> Any:
        # Only for names that are not there: type checkers cannot know which errors have which fields.
        if name == "fields":
            raise AttributeError(name)
        raise AttributeError(f"{type(self).__name__} has no field {name!r}: its fields are {sorted(self.fields)}")


class OptionError(LookalikeError, ValueError):
    """An argument that is refused; ``option`` is its name, and ``kind`` the reason in one word: ``"out_of_range"``,
    ``"unknown_word"``, ``"wrong_type"``, ``"needs"`` or ``"not_with"`` another argument, ``"missing"``, ``"unknown_option"``."""

    option: str | None = None
    kind: str | None = None


class UnknownOptionError(OptionError, TypeError):
    """An argument that does not exist; ``option`` is its name."""


class ColumnError(LookalikeError, KeyError):
    """A column that is missing or has the wrong type; ``column`` is its name, ``columns`` are those that exist."""


class InputError(LookalikeError, OSError):
    """Something that cannot be read or written; ``path`` is its name, if it has one."""

    def __init__(self, message: str, **fields: Any) -> None:
        LookalikeError.__init__(self, message, **fields)


class MemoryLimitError(LookalikeError, MemoryError):
    """A memory limit that is too small; ``needed`` is what would be enough, in bytes."""
