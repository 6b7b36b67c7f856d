import pathlib
import signal
import subprocess
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parent.parent


class StagesTest(unittest.TestCase):
    def run_stages(self, script):
        """The exit status and the lines that a script with stages prints."""
        run = subprocess.run(
            ["bash", "-c", f"set -euo pipefail; source Tools/stages.sh\n{script}"], cwd=TOOLS.parent, capture_output=True, text=True,
            # What starts this may have blocked them.
            preexec_fn=lambda: signal.pthread_sigmask(signal.SIG_SETMASK, []))
        self.assertEqual(run.stderr, "")
        return run.returncode, run.stdout.splitlines()

    def test_a_stage_that_fails_keeps_no_other_from_running(self):
        status, lines = self.run_stages("""
            late() { stage models true || true; stage soak bash -c 'echo lost; exit 3' || true; stage shelf echo kept || true; }
            apart late
            stage format false || true
            # Tests print any bytes.
            stage suites printf '%b' 'a\\0b\\377\\n✔ Test run with 5 tests in 1 suite passed after 1.0 seconds.\\n' > /dev/null || true
            finish suites""")
        self.assertEqual(status, 3)
        for stage in ("models", "shelf", "suites"):
            self.assertRegex("\n".join(lines), rf"(?m)^test: +\d+ s  {stage}$")
        self.assertRegex("\n".join(lines), r"(?m)^test: +\d+ s  format: failed with exit status 1$")
        self.assertIn("lost", lines[lines.index("test: what failed in soak"):])
        self.assertNotIn("kept", lines)
        self.assertEqual(lines[-1], "✔ Test run with 5 tests in 1 suite passed after 1.0 seconds.")

    def test_what_failed_in_the_suites_is_said_before_their_last_line(self):
        status, lines = self.run_stages("""
            tests() {
              echo '◇ Test a() started.'
              echo '✘ Test a() recorded an issue at A.swift:1:2: Expectation failed'
              echo '✘ Test a() failed after 0.1 seconds with 1 issue.'
              echo '✘ Test run with 1 test in 1 suite failed after 0.1 seconds with 1 issue.'
              return 1
            }
            stage suites tests > /dev/null || true
            finish suites""")
        self.assertEqual(status, 1)
        place = lines.index("test: what failed in suites")
        self.assertEqual(lines[place + 1], "✘ Test a() recorded an issue at A.swift:1:2: Expectation failed")
        self.assertRegex(lines[-1], "^✘ Test run with 1 test")

    def test_what_is_not_run_is_listed_with_its_reason(self):
        status, lines = self.run_stages("""
            stage suites printf '%s\\n' '➜ Test a() skipped: "needs root"' '➜ Test b(c:) skipped: "No test cases found."' || true
            stage browser printf '%s\\n' 'check-inspector: the browser is skipped: there is no chromium' \
              'test_b (browser.Views.test_b) ... skipped '"'no room'" 'test_c (browser.Views.test_c) ... ok' || true
            finish suites""")
        self.assertEqual(status, 0)
        self.assertEqual([line for line in lines if "not run" in line], [
            'test: not run: Test a() skipped: "needs root"', "test: not run: Test b(c:) skipped: a different commit draws its cases",
            "test: not run: check-inspector: the browser is skipped: there is no chromium",
            "test: not run: test_b skipped 'no room'"])

    def test_a_skipped_test_that_the_list_does_not_have_fails_the_run(self):
        with tempfile.NamedTemporaryFile("w") as known:
            known.write('# Why.\n\nTest a() skipped: "needs root"\nTest c(')
            known.flush()
            for name, expected in (("a()", 0), ("b()", 1), ("c(d:)", 0)):
                status, lines = self.run_stages(f"""
                    stage suites echo '➜ Test {name} skipped: "needs root"' || true
                    stage models echo '➜ Test d(e:) skipped: "No test cases found."' || true
                    finish suites {known.name}""")
                self.assertEqual(status, expected, name)
                self.assertEqual(
                    [line for line in lines if "not in" in line],
                    [f'test: not in Tools/skipped: Test {name} skipped: "needs root"'] * expected)
        self.assertEqual(self.run_stages("stage suites echo '➜ Test a() skipped.' || true\nfinish suites")[0], 0)

    def test_what_runs_beside_ends_with_the_script(self):
        # It has the script's output, whose end is read here: else this would take a quarter of an hour.
        self.assertEqual(self.run_stages("apart sleep 1000\nexit 7"), (7, []))


if __name__ == "__main__":
    unittest.main()
