import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolrun import run as run_tool, start  # noqa: E402


class CheckWordsTest(unittest.TestCase):
    def check(self, path, text, run=run_tool):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            done = run("check-words", folder)
            found = [line.split(":")[1] for line in done.stdout.splitlines()]
            self.assertEqual(done.returncode, 1 if found else 0, done)
            return [int(line) for line in found]

    def test_phrases_of_the_dialect_are_found_with_their_line(self):
        for text in (
            "this is no UUID", "the index is made anew", "it is gone on with later", "it tells of packs",
            "rows are held against the log", "the state behind event 7", "the file is there already",
            "what became of it", "the answer turned at event 7", "it was looked at",
        ):
            self.assertEqual(self.check("docs/A.md", f"# A\n\n{text}\n"), [3], text)

    def test_plain_english_is_not(self):
        for text in (
            "there is no item 7", "the database is 3 events behind the log", "it is no longer used",
            "look at the path", "this is not a UUID", "the file already exists",
        ):
            self.assertEqual(self.check("docs/A.md", f"{text}\n"), [], text)

    def test_a_phrase_may_be_broken_over_two_lines(self):
        self.assertEqual(self.check("README.md", "# A\n\nthe index is made\nanew\n", start), [3])

    def test_of_swift_only_the_texts_of_strings_count(self):
        self.assertEqual(
            self.check(
                "Sources/A.swift",
                '// this is no UUID\nlet isno = a.goes(on)\nlet b = "\\(x) is no \\(y("made anew, here"))"\n'
                'let c = """\n  the rest is \\\n  gone on with\n  """\n'),
            [3, 3, 4])

    def comments(self, text, record=None, *arguments):
        with tempfile.TemporaryDirectory() as folder:
            root = pathlib.Path(folder)
            (root / "Sources").mkdir()
            (root / "Tools").mkdir()
            (root / "Sources" / "A.swift").write_text(text)
            if record is not None:
                (root / "Tools" / "comment-shapes.json").write_text(json.dumps(record))
            run = run_tool("check-words", *arguments, folder)
            path = root / "Tools" / "comment-shapes.json"
            kept = json.loads(path.read_text()) if path.exists() else None
            return run.returncode, run.stdout.splitlines(), kept

    def test_shapes_of_sentences_in_comments_are_found(self):
        for text in (
            "/// The row; nil where it lacks one.", "// Where nobody asks", "/// What a row is.", "// the rows behind it",
            "// it stands there", "// for who reads it", "// it is told of each", "/// By name.", "/// The row, nil for none",
        ):
            status, lines, _ = self.comments(text + "\nlet a = 1\n")
            self.assertEqual(status, 1, text)
            self.assertTrue(lines[0].startswith("Sources/A.swift:1: "), lines)

    def test_plain_comments_and_code_are_not(self):
        for text in (
            "/// The row; nil if it lacks one.", "// `where it is` is SQL", 'let a = "nobody"',
            "for a in b where it != nil {}", "// What a plain comment is may begin so",
        ):
            self.assertEqual(self.comments(text + "\n")[:2], (0, []), text)

    def test_a_count_may_only_shrink(self):
        text = "// nobody\nlet a = 1\n// nobody else\n"
        same, more, fewer = ({"nobody": {"Sources/A.swift": n}} for n in (2, 1, 3))
        self.assertEqual(self.comments(text, same)[:2], (0, []))
        self.assertEqual(self.comments(text, more)[0], 1)
        self.assertEqual(self.comments(text, fewer)[0], 1)
        status, _, kept = self.comments(text, fewer, "--record")
        self.assertEqual((status, kept["nobody"]), (0, {"Sources/A.swift": 2}))
        status, _, kept = self.comments(text, more, "--record")
        self.assertEqual((status, kept["nobody"]), (1, {"Sources/A.swift": 1}))

    def test_records_of_their_day_keep_their_words(self):
        self.assertEqual(self.check("docs/decisions/0001.md", "this is no UUID\n"), [])
