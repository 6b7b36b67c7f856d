import importlib.machinery
import importlib.util
import pathlib
import sys
import tempfile
import unittest
from contextlib import redirect_stdout
from io import StringIO

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.dont_write_bytecode = True
sys.path.insert(0, str(TOOLS))
from swiftcode import masked  # noqa: E402

loader = importlib.machinery.SourceFileLoader("check_promises", str(TOOLS / "check-promises"))
promises = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_promises", loader))
loader.exec_module(promises)

PAGE = "# Testing\n\n<!-- promises -->\n<!-- promises end -->\n\n## The soak\n"
GOOD = """\
import Testing

@Suite(.promise("A log is read"))
struct GoodTests {
  @Test func a() {}
}
"""


class CheckPromisesTest(unittest.TestCase):
    def project(self, **files):
        """Writes a project, each file by its path in Tests/ with `_` for `/`; then the table. What --write finds."""
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "docs").mkdir()
        self.page = self.root / "docs" / "TESTING.md"
        self.page.write_text(PAGE)
        for name, text in files.items():
            self.write(name, text)
        return self.run_tool("--write")

    def write(self, name, text):
        file = self.root / "Tests" / (name.replace("_", "/") + ".swift")
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)

    def run_tool(self, *arguments):
        output = StringIO()
        with redirect_stdout(output):
            status = promises.main(list(arguments), self.root)
        lines = output.getvalue().splitlines()
        self.assertEqual(status, 1 if lines else 0)
        return lines

    def rows(self):
        return [line for line in self.page.read_text().splitlines() if line.startswith("| ") and "held by" not in line]

    def test_the_table_has_each_promise_once_with_its_suites(self):
        self.assertEqual(self.project(
            EventLogTests_GoodTests=GOOD,
            CatalogStoreTests_Other="""\
@Suite(
  "A \\"name\\" with (a bracket",
  .promise("A log is read"),
  .promise(
    "Bytes of a \\"name\\" " + "stay",
    by: "each byte, in "
      + "turn"),
  .serialized, .enabled(if: Strace.works("("), "no ) here"))
final class OtherTests {
  @Test(arguments: [1, 2]) func a() {}
}
"""), [])
        self.assertEqual(self.rows(), [
            "| A log is read | `GoodTests`, `OtherTests` |",
            '| Bytes of a "name" stay | `OtherTests` (each byte, in turn) |'])
        text = self.page.read_text()
        self.assertLess(text.index("### The log"), text.index("### The database"))
        self.assertTrue(text.endswith("<!-- promises end -->\n\n## The soak\n"))
        self.assertEqual(self.run_tool(), [])

    def test_suites_of_one_name_are_told_apart(self):
        self.project(EventLogTests_A=GOOD, SupportTests_A=GOOD)
        self.assertEqual(self.rows(), ["| A log is read | `EventLogTests.GoodTests`, `SupportTests.GoodTests` |"])

    def test_a_table_that_is_not_that_of_the_suites_is_found(self):
        self.project(EventLogTests_A=GOOD)
        self.write("EventLogTests_A", GOOD.replace("is read", "is written"))
        found = self.run_tool()
        self.assertEqual([line.split(":")[1] for line in found], [" missing", " no suite says this", " the table of promises is not that of the suites"])
        self.assertIn("is read", self.page.read_text())

    def test_a_suite_without_a_promise_is_found(self):
        for suite in ("@Suite struct", "@Suite(.serialized)\nstruct", '@Suite("A .promise(name)") struct',
                      '@Suite(.serialized /* .promise("x") */) struct'):
            found = self.project(EventLogTests_A=f"import Testing\n\n{suite} BareTests {{ @Test func a() {{}} }}\n")
            self.assertEqual(len(found), 1, found)
            self.assertIn("Tests/EventLogTests/A.swift:3: `BareTests` has no promise", found[0])

    def test_a_test_in_no_suite_is_found(self):
        for text in ("@Test func a() {}\n", "struct A {\n  @Test func a() {}\n}\n", GOOD + "\nextension A {\n  @Test func a() {}\n}\n"):
            found = self.project(EventLogTests_A=text)
            self.assertEqual(len(found), 1, found)
            self.assertIn("a test is in no suite with a promise", found[0])

    def test_an_extension_in_another_file_belongs_to_its_suite(self):
        self.assertEqual(self.project(
            EventLogTests_A=GOOD, EventLogTests_B="extension GoodTests {\n  private struct A {}\n\n  @Test func b() {}\n}\n"), [])

    def test_one_promise_in_two_spellings_is_found(self):
        found = self.project(EventLogTests_A=GOOD, EventLogTests_B=GOOD.replace("A log is", "a log,  is").replace("Good", "Other"))
        self.assertEqual(len(found), 1, found)
        self.assertIn("several spellings (GoodTests, OtherTests)", found[0])

    def test_a_promise_is_a_literal_without_a_full_stop(self):
        for argument in ("sentence", '"a \\(b)"', '"A log is read."', '"a" + b', '"a", with: "b"', '"a | b"'):
            self.assertEqual(len(self.project(EventLogTests_A=GOOD.replace('"A log is read"', argument))), 1, argument)

    def test_a_folder_without_a_heading_is_found(self):
        self.assertIn("no heading", self.project(StrangeTests_A=GOOD)[0])

    def test_code_is_told_from_strings_comments_and_regular_expressions(self):
        for text, code in (
            ('a("b)\\"(", c)', "a(       , c)"), ('a("b \\(c("d)")) e")', "a(     c(    )    )"),
            ('#"a"b"# + c', "        + c"), ('(#""""#, a)', "(      , a)"), ('#"\\(a" \\#(b)"# c', "          b    c"),
            ('"""\n  "a" @Test\n  """ b', "   \n           \n      b"), ("a /* b /* c */ d */ e // f", "a                   e     "),
            ('a(of: /"b([^"]+)"/) c', "a(of:             ) c"), ("a / b / c", "a / b / c"), ("#expect(a) #if b", "#expect(a) #if b"),
        ):
            self.assertEqual(masked(text), code, text)

    def test_the_suites_of_the_project_are_all_read(self):
        named = sum(
            file.read_text().count("\n@Suite") + file.read_text().count("\n  @Suite") for file in (TOOLS.parent / "Tests").rglob("*.swift"))
        read = sum(len(promises.read(file.read_text())[0]) for file in (TOOLS.parent / "Tests").rglob("*.swift"))
        self.assertGreater(read, 300)
        self.assertEqual(read, named)


if __name__ == "__main__":
    unittest.main()
