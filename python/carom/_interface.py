"""The C interface, read from the library itself.

The library carries the text of its public headers. What stands there becomes ctypes: constants, structs, types of
callbacks, functions. Nothing is written down a second time, and the size of every struct is compared with what the
compiler made of it.
"""
from __future__ import annotations

import ctypes
import re
from typing import Any

_BASE = {
    "void": None, "char": ctypes.c_char, "unsigned char": ctypes.c_ubyte, "int": ctypes.c_int,
    "unsigned": ctypes.c_uint, "unsigned int": ctypes.c_uint, "long": ctypes.c_long, "long long": ctypes.c_longlong,
    "size_t": ctypes.c_size_t, "double": ctypes.c_double, "bool": ctypes.c_bool, "FILE": ctypes.c_void_p,
}


class Interface:
    """Constants, structs (``struct``), callback types (``callback``) and functions (``function``) of the headers."""

    def __init__(self, text: str) -> None:
        self.constant: dict[str, int] = {}
        self.struct: dict[str, type] = {}
        self.callback: dict[str, Any] = {}
        self.function: dict[str, tuple[Any, list[Any]]] = {}
        self.status_name: list[str] = []  # "BAD_MODEL", by number; its words beside it
        self.status_text: list[str] = []
        self._enum: set[str] = set()
        for declaration in self._declarations(text):
            self._declare(declaration)

    # ---- cutting ----

    def _declarations(self, text: str) -> list[str]:
        """What ends with a semicolon outside of braces, without comments and preprocessor."""
        text = re.sub(r"/\*.*?\*/", " ", text, flags=re.S)
        listed = re.findall(r'X\((CAROM_\w+), "([^"]*)"\)', text)
        self.status_name = [name[len("CAROM_"):] for name, _ in listed]
        self.status_text = [words for _, words in listed]
        text = re.sub(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*\n", "\n", text, flags=re.M)
        text = text.replace("CAROM_STATUS_LIST(CAROM_STATUS_NAME)", ", ".join(name for name, _ in listed))
        text = re.sub(r'extern\s+"C"\s*\{', " ", text)
        return [" ".join(part.split()) for part in _split(text, ";") if part.strip(" \n\t}")]

    def _declare(self, text: str) -> None:
        text = text.lstrip("} ")
        enum = re.match(r"(?:typedef )?enum(?: (\w+))? \{(.*?)\}", text)
        struct = re.match(r"typedef struct (\w+) \{(.*)\} (\w+)$", text)
        if enum:
            self._constants(enum.group(2))
            self._enum.update(name for name in enum.groups()[:1] if name)
        elif struct:
            self._members(struct.group(1), struct.group(2))
        elif re.match(r"(?:typedef )?struct (\w+)(?: \w+)?$", text):
            self._struct(text.split()[2] if text.startswith("typedef") else text.split()[1])
        elif text.startswith("typedef "):
            name, result, arguments = self._prototype(text[len("typedef "):])
            self.callback[name] = ctypes.CFUNCTYPE(result, *arguments)
        else:
            name, result, arguments = self._prototype(text)
            self.function[name] = (result, arguments)

    def _constants(self, body: str) -> None:
        value = -1
        for item in body.split(","):
            name, _, given = (part.strip() for part in item.partition("="))
            if name:
                value = int(eval(given, {}, self.constant)) if given else value + 1  # integers, shifts, names
                self.constant[name] = value

    # ---- types ----

    def _struct(self, name: str) -> type:
        if name not in self.struct:
            self.struct[name] = type(name, (ctypes.Structure,), {})
        return self.struct[name]

    def _members(self, name: str, body: str) -> None:
        fields = []
        for part in _split(body, ";"):
            inner = re.match(r"\s*enum \{(.*)\}\s*(\w+)\s*$", part)
            if inner:
                self._constants(inner.group(1))
                fields.append((inner.group(2), ctypes.c_int))
            elif part.strip():
                fields.extend(self._variables(part.strip()))
        self._struct(name)._fields_ = fields

    def _variables(self, text: str) -> list[tuple[str, Any]]:
        """``double *M, *F`` or ``bool (*stop)(void *user)``: names and types."""
        function = re.match(r"(.*?)\(\*(\w+)\)\((.*)\)$", text)
        if function:
            result = self._type(function.group(1))
            return [(function.group(2), ctypes.CFUNCTYPE(result, *self._arguments(function.group(3))))]
        declarators = _split(text, ",")
        first = re.match(r"(.*?)([\s*]*(?:const \*)*\w+(?:\[[^\]]*\])*)$", declarators[0].strip())
        base = first.group(1).strip()
        found = []
        for declarator in [first.group(2), *declarators[1:]]:
            match = re.match(r"([\s*]*(?:const \*)*)(\w+)((?:\[[^\]]*\])*)$", declarator.strip())
            kind = self._type(f"{base} {match.group(1)}")
            for length in reversed(re.findall(r"\[([^\]]*)\]", match.group(3))):
                kind = kind * int(eval(length, {}, self.constant))
            found.append((match.group(2), kind))
        return found

    def _type(self, text: str) -> Any:
        stars = text.count("*")
        words = [word for word in text.replace("*", " ").split() if word not in ("const", "struct", "volatile")]
        name = " ".join(words)
        if name in self._enum:
            kind: Any = ctypes.c_int
        elif name in self.callback:
            return self.callback[name]  # always meant as a pointer
        elif name in _BASE:
            kind = _BASE[name]
        else:
            kind = self._struct(name)
        if kind is None:
            return ctypes.c_void_p if stars else None
        if stars and name == "char":
            kind, stars = ctypes.c_char_p, stars - 1
        if stars and name == "FILE":
            stars -= 1
        for _ in range(stars):
            kind = ctypes.POINTER(kind)
        return kind

    def _arguments(self, text: str) -> list[Any]:
        if text.strip() in ("", "void"):
            return []
        kinds = []
        for part in _split(text, ","):
            part = part.strip()
            if "(*" in part:
                kinds.append(self._variables(part)[0][1])
                continue
            named = re.match(r"(.*[\s*])(\w+)$", part)
            whole = named and named.group(2) not in _BASE and not self._known(part)
            kinds.append(self._type(named.group(1) if whole else part))
        return kinds

    def _known(self, text: str) -> bool:
        """Is this a type without the name of an argument?"""
        last = text.replace("*", " ").split()[-1]
        return text.endswith("*") or last in self._enum or last in self.struct or last in self.callback

    def _prototype(self, text: str) -> tuple[str, Any, list[Any]]:
        match = re.match(r"(.*?)(\w+)\((.*)\)$", text)
        return match.group(2), self._type(match.group(1)), self._arguments(match.group(3))


def _split(text: str, mark: str) -> list[str]:
    """The parts of text between marks that stand in no brackets."""
    parts, depth, start = [], 0, 0
    for i, letter in enumerate(text):
        if letter in "{([":
            depth += 1
        elif letter in "})]":
            depth = max(depth - 1, 0)
        elif letter == mark and depth == 0:
            parts.append(text[start:i])
            start = i + 1
    return parts + [text[start:]]
