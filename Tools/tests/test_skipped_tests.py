import pathlib
import re
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolrun import run as run_tool, start  # noqa: E402

TOOLS = pathlib.Path(__file__).resolve().parent.parent
RUN = """\
✔ Test a() passed after 0.1 seconds.
✔ Test b() passed after 0.1 seconds.➜ Test c(d:) skipped: "needs root"
\x1b[90m➜\x1b[0m Test c(d:) skipped: "needs root"
➜ Test e() skipped: "No test cases found."
test_f (browser.Views.test_f) ... skipped 'no room'
"""


class SkippedTestsTest(unittest.TestCase):
    def run_on(self, *known):
        with tempfile.TemporaryDirectory() as folder:
            output, only = pathlib.Path(folder) / "output", pathlib.Path(folder) / "only"
            output.write_text(RUN)
            only.write_text("\n".join(known))
            run = run_tool("skipped-tests", *(["--only", only] if known else []), output)
            self.assertEqual(run.stderr, "")
            return run.returncode, run.stdout.splitlines()

    def test_each_test_is_listed_once(self):
        self.assertEqual(self.run_on(), (0, [
            'test: not run: Test c(d:) skipped: "needs root"',
            "test: not run: Test e() skipped: a different commit draws its cases",
            "test: not run: test_f skipped 'no room'"]))

    def test_what_the_list_does_not_have_is_an_error(self):
        status, lines = self.run_on("# Why.", "", 'Test c(d:) skipped: "needs')
        self.assertEqual((status, lines[3:]), (1, ["test: not in Tools/skipped: test_f skipped 'no room'"]))
        self.assertEqual(self.run_on("Test c(d:)", "test_f")[0], 0)
        # An empty line is a beginning of each.
        self.assertEqual(self.run_on("")[0], 1)

    def test_a_wrong_argument_is_refused(self):
        for arguments in ([], ["--only"], ["--only", "a"], ["--all", "a"]):
            self.assertEqual(start("skipped-tests", *arguments).returncode, 64)

    def test_the_list_names_tests_that_exist(self):
        sources = "\n".join(file.read_text() for file in (TOOLS.parent / "Tests").rglob("*.swift"))
        for line in (TOOLS / "skipped").read_text().splitlines():
            if match := re.match(r"(Test|Suite) (\w+)", line):
                self.assertRegex(sources, rf"\b(?:func|struct|class) {match[2]}\b")
                if reason := re.search(r'skipped: ("[^"]+")$', line):
                    self.assertIn(reason[1], sources)


if __name__ == "__main__":
    unittest.main()
