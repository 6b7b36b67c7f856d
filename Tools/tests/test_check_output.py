import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from tinyschema import Schema, SchemaError, load  # noqa: E402


class ReferencesTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)

    def write(self, name, text):
        (self.path / name).write_text(text)
        return self.path / name

    def errors(self, name, value):
        return list(load(self.path / name).errors(value))

    def test_a_definition_in_the_same_and_in_another_file(self):
        self.write("shared.json", '{"$defs": {"id": {"type": "string"}, "list": {"type": "array", '
                                  '"items": {"$ref": "#/$defs/id"}}}}')
        self.write("a.json", '{"type": "object", "additionalProperties": false, "properties": '
                             '{"list": {"$ref": "shared.json#/$defs/list", "description": "x"}}}')
        self.assertEqual(self.errors("a.json", {"list": ["x"]}), [])
        self.assertEqual(
            self.errors("a.json", {"list": ["x", 1]}), [("$.list[1]", "is 1, expected string")])

    def test_a_reference_to_nothing_is_refused(self):
        self.write("shared.json", '{"$defs": {}}')
        for reference in ("shared.json#/$defs/id", "other.json", "#/$defs/id"):
            file = self.write("a.json", f'{{"$ref": "{reference}"}}')
            with self.assertRaises(SchemaError):
                load(file)

    def test_nothing_stands_beside_a_reference(self):
        with self.assertRaises(SchemaError):
            Schema({"$ref": "#/$defs/a", "type": "string", "$defs": {"a": {}}})

    def test_other_keys_have_a_schema(self):
        schema = Schema({"type": "object", "additionalProperties": {"type": "integer"}})
        self.assertEqual(list(schema.errors({"a": 1})), [])
        self.assertEqual(
            list(schema.errors({"a": "1"})), [("$.a", 'is "1", expected integer')])

    def test_texts_and_lists_have_a_greatest_length(self):
        schema = Schema({"type": "array", "maxItems": 2, "items": {"type": "string", "maxLength": 1}})
        self.assertEqual(list(schema.errors(["a", "é"])), [])
        self.assertEqual(list(schema.errors(["a", "bc"])), [("$[1]", "is too long")])
        self.assertEqual(
            list(schema.errors(["a"] * 3)), [("$", "has 3 elements, at most 2 expected")])

    def test_one_of_the_forms_is_enough(self):
        form = {"type": "object", "additionalProperties": False, "required": ["kind"]}
        schema = Schema({"anyOf": [
            {**form, "properties": {"kind": {"const": "a"}, "more": {"type": "string"}}},
            {**form, "properties": {"kind": {"const": "b"}}}]})
        self.assertEqual(list(schema.errors({"kind": "a", "more": "x"})), [])
        self.assertEqual(list(schema.errors({"kind": "b"})), [])
        # The findings are those of the form that the value nearly has.
        self.assertEqual(
            list(schema.errors({"kind": "a", "more": 1})), [("$.more", "is 1, expected string")])


if __name__ == "__main__":
    unittest.main()
