import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolrun import run as run_tool, start  # noqa: E402


class CheckSourcesTest(unittest.TestCase):
    def check(self, text, target="CatalogStore", run=run_tool):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / target / "A.swift"
            file.parent.mkdir(parents=True)
            file.write_text(text)
            done = run("check-sources", folder)
            lines = [line.removeprefix(f"{file}:").split(":")[0] for line in done.stdout.splitlines()]
            self.assertEqual(done.returncode, 1 if lines else 0, done)
            return [int(line) for line in lines]

    def test_what_ends_the_process_is_found_with_its_line(self):
        for line in ("let a = try! b()", "let a = b as! C", "fatalError(\"x\")", "print(1)"):
            self.assertEqual(self.check(f"import Foundation\n{line}\n"), [2], line)

    def test_what_needs_data_of_a_language_is_found(self):
        for line in (
            "let a = Locale.current", "a.localizedStandardCompare(b)", "let a = NumberFormatter()",
            "let a = b.applyingTransform(.toLatin, reverse: false)", "let a = String(data: b, encoding: .windowsCP1252)",
        ):
            self.assertEqual(self.check(f"import Foundation\n{line}\n"), [2], line)
        self.assertEqual(self.check("let a = String(data: b, encoding: .utf8)\n"), [])

    def test_rows_of_grdb_are_not_read_by_subscript(self):
        for line in (
            "let a: Int = row[\"a\"]", "let a = row[0] as Int64",
            "try Row.fetchOne(database, sql: sql)", "try Int64.fetchAll(statement)",
            "let a = try Int64.fetchCursor(statement)", "while let row = try rows.next() {",
            "init(_ row: Row) throws {", "let a = String.fromDatabaseValue(value)",
        ):
            self.assertEqual(self.check(f"package import GRDB\n\n{line}\n"), [3], line)

    def test_rows_of_the_projector_are_arrays(self):
        self.assertEqual(self.check("import Projections\nguard row[1] == .text(name) else {}\n"), [])
        self.assertEqual(self.check("import GRDB\nguard row[1] == .text(name) else {}\n"), [])

    def test_a_database_is_opened_by_sqlite_alone(self):
        for line in (
            "let a = open(path, O_RDONLY | O_CLOEXEC)", "let a = LibC.open(path, O_RDWR)",
            "let a = try calls.open(path, .read)", "let a = FileHandle(forReadingAtPath: path)",
            "let a = try Data(contentsOf: url)", "let a = fopen(path, mode)",
        ):
            self.assertEqual(self.check(f"import LibC\n{line}\n", "Engine/CatalogEngine"), [2], line)
            self.assertEqual(self.check(f"import LibC\n{line}\n", "Engine/EventLog"), [], line)
        for line in (
            "let a = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)", "let a = fopen(\"/proc/self/statm\", \"r\")",
            "let a = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o666)", "let a = try open(path, .live)",
        ):
            self.assertEqual(self.check(f"import LibC\n{line}\n"), [], line)

    def test_comments_and_texts_are_not_code(self):
        self.assertEqual(
            self.check('// try! as! print(1)\n/* print(\n/* */ try! */\nlet a = "print(1) try!"\n'), [])
        self.assertEqual(self.check('let a = """\n  try! fatalError(\n  """\nlet b = try! c()\n'), [4])
        self.assertEqual(self.check('let a = "\\(try! b("c"))"\n'), [1])

    def test_programs_print_and_functions_may_be_called_print(self):
        self.assertEqual(self.check("print(1)\n", "Engine/EngineCommands"), [])
        self.assertEqual(self.check("func print(to console: Console) {}\nself.print(to: a)\n"), [])
        self.assertEqual(self.check("try! a()\n", "EngineCommands", start), [1])

    def test_a_wait_ends_if_its_condition_holds(self):
        for line in ("for _ in 0..<9 where try !isKept() { try await Task.sleep(for: .milliseconds(10)) }",
                     "for _ in 0..<9 where try isEmpty {\n  usleep(1)\n}"):
            self.assertEqual(self.check(f"import A // a comment\n{line}\n"), [2], line)
        self.assertEqual(self.check("for item in items where item.isNew { add(item) }\nwhile !isKept() { usleep(1) }\n"), [])


if __name__ == "__main__":
    unittest.main()
