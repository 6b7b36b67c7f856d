import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "check-links"


class CheckLinksTest(unittest.TestCase):
    def check(self, text, source=""):
        with tempfile.TemporaryDirectory() as folder:
            (pathlib.Path(folder) / "docs").mkdir()
            (pathlib.Path(folder) / "docs" / "B.md").write_text("# B\n\n## What it is\n")
            (pathlib.Path(folder) / "README.md").write_text(text)
            (pathlib.Path(folder) / "Sources").mkdir()
            (pathlib.Path(folder) / "Sources" / "A.swift").write_text(source)
            return subprocess.run([TOOL, folder], capture_output=True, text=True).returncode

    def test_links_that_lead_somewhere_pass(self):
        self.assertEqual(
            self.check("# A\n[b](docs/B.md) [c](docs/B.md#what-it-is) [d](https://example.com) [e](#a) [f](docs/)"), 0)

    def test_missing_files_and_headings_are_found(self):
        self.assertEqual(self.check("[b](docs/C.md)"), 1)
        self.assertEqual(self.check("[b](docs/B.md#what-it-was)"), 1)
        self.assertEqual(self.check("[b](#a)"), 1)

    def test_pages_that_a_source_file_names_exist(self):
        self.assertEqual(self.check("# A\n", "/// The bytes (docs/B.md).\n"), 0)
        self.assertEqual(self.check("# A\n", "/// The bytes (docs/C.md).\n"), 1)
