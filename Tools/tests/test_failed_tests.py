import pathlib
import subprocess
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "failed-tests"

RUN = """\
◇ Test run started.
◇ Suite HeadTests started.
◇ Test aHead() started.
◇ Test case passing 1 argument n → 1 to aTail(n:) started.
◇ Test aTail(n:) started.
✘ Test aTail(n:) recorded an issue with 1 argument n → 1 at HeadTests.swift:12:5: Expectation failed: (a → 1) == 2
↳ a tail of 1
  // and what was said of it
◇ Test cutOff() started.
✔ Test aHead() passed after 0.1 seconds.
✘ Test aTail(n:) with 2 test cases failed after 0.2 seconds with 1 issue.
"""


class FailedTestsTest(unittest.TestCase):
    def run_on(self, text):
        with tempfile.NamedTemporaryFile("w", suffix=".txt") as file:
            file.write(text)
            file.flush()
            return subprocess.run([TOOL, file.name], capture_output=True, text=True)

    def test_issues_and_tests_that_did_not_end_are_listed(self):
        run = self.run_on(RUN)
        self.assertEqual(run.returncode, 1)
        self.assertEqual(run.stdout.splitlines(), [
            "✘ Test aTail(n:) recorded an issue with 1 argument n → 1 at HeadTests.swift:12:5: "
            "Expectation failed: (a → 1) == 2",
            "↳ a tail of 1", "  // and what was said of it", "✘ Test cutOff() began and did not end"])

    def test_a_run_that_passed_lists_nothing(self):
        run = self.run_on("◇ Test aHead() started.\n✔ Test aHead() passed after 0.1 seconds.\n")
        self.assertEqual((run.returncode, run.stdout), (0, ""))

    def test_long_lines_and_long_issues_are_cut(self):
        issue = f"✘ Test a() recorded an issue at A.swift:1:1: {'x' * 9_000}\n" + "↳ more\n" * 90
        lines = self.run_on(issue).stdout.splitlines()
        self.assertEqual((len(lines), max(map(len, lines))), (12, 400))


if __name__ == "__main__":
    unittest.main()
