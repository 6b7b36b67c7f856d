"""A JSON Schema (draft 2020-12) validator for just the keywords that Events/schema uses.

A schema with any other keyword is refused when it is loaded, so nothing is passed over in silence.
"""

import json
import re

ANNOTATIONS = {"$schema", "title", "description", "format"}
KEYWORDS = {
    "type", "const", "enum", "properties", "required", "additionalProperties", "items", "minItems",
    "uniqueItems", "pattern", "minLength", "minimum", "maximum"}

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "number": lambda value: isinstance(value, (int, float)) and not isinstance(value, bool),
    "integer": lambda value: not isinstance(value, bool) and (
        isinstance(value, int) or isinstance(value, float) and value.is_integer()),
}


class SchemaError(Exception):
    """The schema itself cannot be used."""


class Schema:
    def __init__(self, schema, place="#"):
        unknown = set(schema) - ANNOTATIONS - KEYWORDS
        if unknown:
            raise SchemaError(f"{place}: keyword {sorted(unknown)[0]} is not supported")
        if schema.get("additionalProperties", False) is not False:
            raise SchemaError(f"{place}: additionalProperties must be false or absent")
        types = schema.get("type")
        self.types = [types] if isinstance(types, str) else types
        if set(self.types or ()) - set(TYPES):
            raise SchemaError(f"{place}: unknown type in {self.types}")
        self.raw = schema
        self.closed = "additionalProperties" in schema
        self.properties = {key: Schema(value, f"{place}/properties/{key}")
                           for key, value in schema.get("properties", {}).items()}
        self.items = Schema(schema["items"], f"{place}/items") if "items" in schema else None
        pattern = schema.get("pattern")
        # ECMA's $ is the end of the text; Python's would allow a line feed before it.
        self.pattern = pattern and re.compile(re.sub(r"\$$", r"\\Z", pattern))

    def errors(self, value, path="$"):
        """Yields (JSON path, message) for all that does not fit."""
        raw = self.raw
        if self.types and not any(TYPES[name](value) for name in self.types):
            yield path, f"is {shorten(value)}, expected {' or '.join(self.types)}"
            return
        if "const" in raw and not same(value, raw["const"]):
            yield path, f"is {shorten(value)}, expected {shorten(raw['const'])}"
        if "enum" in raw and not any(same(value, choice) for choice in raw["enum"]):
            yield path, f"is {shorten(value)}, expected one of {shorten(raw['enum'])}"
        if isinstance(value, str):
            if len(value) < raw.get("minLength", 0):
                yield path, "is too short"
            if self.pattern and not self.pattern.search(value):
                yield path, f"is {shorten(value)}, does not match {raw['pattern']}"
        elif isinstance(value, dict):
            yield from self._object_errors(value, path)
        elif isinstance(value, list):
            yield from self._array_errors(value, path)
        elif isinstance(value, (int, float)) and not isinstance(value, bool):
            if value < raw.get("minimum", value) or value > raw.get("maximum", value):
                yield path, f"is {value}, out of range"

    def _object_errors(self, value, path):
        for key in self.raw.get("required", ()):
            if key not in value:
                yield path, f"lacks the key {key}"
        for key, member in value.items():
            schema = self.properties.get(key)
            if schema is not None:
                yield from schema.errors(member, f"{path}.{key}")
            elif self.closed:
                yield path, f"has an unknown key {shorten(key)}"

    def _array_errors(self, value, path):
        if len(value) < self.raw.get("minItems", 0):
            yield path, f"has {len(value)} elements, at least {self.raw['minItems']} expected"
        if self.raw.get("uniqueItems"):
            if len({json.dumps(member, sort_keys=True) for member in value}) != len(value):
                yield path, "names something twice"
        if self.items is not None:
            for index, member in enumerate(value):
                yield from self.items.errors(member, f"{path}[{index}]")


def same(a, b):
    """Equality of JSON values: true is not 1."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def shorten(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
