"""A JSON Schema (draft 2020-12) validator for just the keywords that Events/schema, docs/schemas and docs/schemas/input use.

A schema with any other keyword is refused when it is loaded, so nothing is passed over in silence.
"""

import json
import pathlib
import re

ANNOTATIONS = {"$schema", "$comment", "$defs", "title", "description", "format", "examples"}
KEYWORDS = {
    "type", "const", "enum", "properties", "required", "additionalProperties", "items", "minItems",
    "maxItems", "uniqueItems", "pattern", "minLength", "maxLength", "minimum", "maximum", "anyOf"}

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


def load(path):
    """The schema in a file, which may refer to definitions of its own and of files beside it."""
    path = pathlib.Path(path)
    return Schema(json.loads(path.read_text("utf-8")), path=path)


class Schema:
    def __init__(self, schema, place="#", root=None, path=None):
        """root: the document that `#/$defs/…` is looked up in; path: its file."""
        root = schema if root is None else root
        self.raw = schema
        self.place = place
        # Keys that were in any value so far.
        self.seen = set()
        self.properties = {}
        self.items = self.others = self.target = None
        self.choices = []
        if "$ref" in schema:
            other = set(schema) - ANNOTATIONS - {"$ref"}
            if other:
                raise SchemaError(f"{place}: keyword {sorted(other)[0]} beside $ref")
            self.target = refer(schema["$ref"], place, root, path)
            return
        unknown = set(schema) - ANNOTATIONS - KEYWORDS
        if unknown:
            raise SchemaError(f"{place}: keyword {sorted(unknown)[0]} is not supported")
        rest = schema.get("additionalProperties", False)
        if rest is not False and not isinstance(rest, dict):
            raise SchemaError(f"{place}: additionalProperties must be false, a schema or absent")
        types = schema.get("type")
        self.types = [types] if isinstance(types, str) else types
        if set(self.types or ()) - set(TYPES):
            raise SchemaError(f"{place}: unknown type in {self.types}")
        self.closed = rest is False and "additionalProperties" in schema
        self.others = Schema(rest, f"{place}/additionalProperties", root, path) if rest else None
        self.properties = {key: Schema(value, f"{place}/properties/{key}", root, path)
                           for key, value in schema.get("properties", {}).items()}
        self.choices = [Schema(choice, f"{place}/anyOf/{index}", root, path)
                        for index, choice in enumerate(schema.get("anyOf", ()))]
        self.items = (
            Schema(schema["items"], f"{place}/items", root, path) if "items" in schema else None)
        pattern = schema.get("pattern")
        # ECMA's $ is the end of the text; Python's would allow a line feed before it.
        self.pattern = pattern and re.compile(re.sub(r"\$$", r"\\Z", pattern))

    def errors(self, value, path="$"):
        """Yields (JSON path, message) for all that does not fit."""
        if self.target is not None:
            yield from self.target.errors(value, path)
            return
        raw = self.raw
        if self.types and not any(TYPES[name](value) for name in self.types):
            yield path, f"is {shorten(value)}, expected {' or '.join(self.types)}"
            return
        if self.choices:
            # Of the forms that a value may have, the one that it nearly has.
            yield from min(([*choice.errors(value, path)] for choice in self.choices), key=len)
        if "const" in raw and not same(value, raw["const"]):
            yield path, f"is {shorten(value)}, expected {shorten(raw['const'])}"
        if "enum" in raw and not any(same(value, choice) for choice in raw["enum"]):
            yield path, f"is {shorten(value)}, expected one of {shorten(raw['enum'])}"
        if isinstance(value, str):
            if len(value) < raw.get("minLength", 0):
                yield path, "is too short"
            if len(value) > raw.get("maxLength", len(value)):
                yield path, "is too long"
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
        self.seen.update(value)
        for key, member in value.items():
            schema = self.properties.get(key)
            if schema is not None:
                yield from schema.errors(member, f"{path}.{key}")
            elif self.others is not None:
                yield from self.others.errors(member, f"{path}.{key}")
            elif self.closed:
                yield path, f"has an unknown key {shorten(key)}"

    def _array_errors(self, value, path):
        if len(value) < self.raw.get("minItems", 0):
            yield path, f"has {len(value)} elements, at least {self.raw['minItems']} expected"
        if len(value) > self.raw.get("maxItems", len(value)):
            yield path, f"has {len(value)} elements, at most {self.raw['maxItems']} expected"
        if self.raw.get("uniqueItems"):
            if len({json.dumps(member, sort_keys=True) for member in value}) != len(value):
                yield path, "names something twice"
        if self.items is not None:
            for index, member in enumerate(value):
                yield from self.items.errors(member, f"{path}[{index}]")


def refer(reference, place, root, path):
    """The schema that `#/$defs/NAME`, `FILE` or `FILE#/$defs/NAME` names."""
    file, _, pointer = reference.partition("#")
    if file:
        if path is None:
            raise SchemaError(f"{place}: $ref to a file from no file")
        path = path.parent / file
        try:
            root = json.loads(path.read_text("utf-8"))
        except (OSError, ValueError) as error:
            raise SchemaError(f"{place}: $ref {reference}: {error}")
    target = root
    for key in pointer.split("/")[1:]:
        target = target.get(key)
        if target is None:
            raise SchemaError(f"{place}: $ref {reference} names nothing")
    return Schema(target, reference, root, path)


def same(a, b):
    """Equality of JSON values: true is not 1."""
    return a == b and isinstance(a, bool) == isinstance(b, bool)


def shorten(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 80 else text[:77] + "…"
