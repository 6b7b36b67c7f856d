import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "check-words"


class CheckWordsTest(unittest.TestCase):
    def check(self, path, text):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / path
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
            run = subprocess.run([TOOL, folder], capture_output=True, text=True)
            found = [line.split(":")[1] for line in run.stdout.splitlines()]
            self.assertEqual(run.returncode, 1 if found else 0, run)
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
        self.assertEqual(self.check("README.md", "# A\n\nthe index is made\nanew\n"), [3])

    def test_of_swift_only_the_texts_of_strings_count(self):
        self.assertEqual(
            self.check(
                "Sources/A.swift",
                '// this is no UUID\nlet isno = a.goes(on)\nlet b = "\\(x) is no \\(y("made anew, here"))"\n'
                'let c = """\n  the rest is \\\n  gone on with\n  """\n'),
            [3, 3, 4])

    def test_records_of_their_day_keep_their_words(self):
        self.assertEqual(self.check("docs/decisions/0001.md", "this is no UUID\n"), [])
