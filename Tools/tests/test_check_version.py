import pathlib
import shutil
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent
FILES = ["CHANGELOG.md", "README.md", "docs/STABILITY.md", "Sources/Tool/CatalogControl/CatalogControl.swift"]


class CheckVersionTest(unittest.TestCase):
    def check(self, file="", old="", new=""):
        """What the tool prints about a copy of the repository's files, one of them changed."""
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for path in FILES:
                (folder / path).parent.mkdir(parents=True, exist_ok=True)
                shutil.copy(TOOLS.parent / path, folder / path)
            if file:
                text = (folder / file).read_text()
                self.assertIn(old, text)
                (folder / file).write_text(text.replace(old, new, 1))
            run = subprocess.run([TOOLS / "check-version", folder], capture_output=True, text=True)
            self.assertEqual(run.returncode, 1 if run.stdout else 0, run.stderr)
            return run.stdout

    def test_the_repository_names_one_version(self):
        self.assertEqual(self.check(), "")

    def test_a_place_with_another_version_is_found(self):
        self.assertIn("STABILITY", self.check("docs/STABILITY.md", "The version is ", "The version is 1"))
        self.assertIn("README", self.check("README.md", "It is version ", "It was version "))
        self.assertIn("README", self.check("README.md", 'from: "', 'from: "1'))
        self.assertIn("CatalogControl", self.check(FILES[-1], 'version = "', 'version = "1'))

    def test_a_release_of_the_changelog_alone_is_found_in_all_places(self):
        found = self.check("CHANGELOG.md", "## Unreleased\n", "## Unreleased\n\n## 99.0.0 – 2099-01-01\n")
        self.assertEqual(len(found.splitlines()), 4)
