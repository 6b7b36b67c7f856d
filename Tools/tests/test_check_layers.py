import json
import pathlib
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).parent))
from toolrun import run as run_tool, start  # noqa: E402

KIND = "Kinds/Shelf/ShelfKind/Shelf.swift"


class CheckLayersTest(unittest.TestCase):
    """Each tree has a kind, whose types and tables the other file may name or not."""

    def check(self, place, text, kind="package struct BookShelf {}\nlet a = schema.add(\n  \"book_copy\")\n"):
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {KIND: kind, "Engine/Store/B.swift": "", "Services/Net/C.swift": "",
                                  "Engine/CatalogPages/E.swift": "", "Kinds/Other/OtherKind/D.swift": "", place: text}.items():
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            run = run_tool("check-layers", folder)
            self.assertEqual(run.stderr, "")
            found = [line.removeprefix(f"{folder}/").split(":")[:2] for line in run.stdout.splitlines()]
            self.assertEqual(run.returncode, 1 if found else 0, run)
            self.assertTrue(all(path == place for path, _ in found), run)
            return [int(line) for _, line in found]

    def test_the_engine_names_no_type_and_no_table_of_a_kind(self):
        for line in ("let a = BookShelf()", "// as BookShelf does", 'let a = "SELECT 1 FROM book_copy"'):
            self.assertEqual(self.check("Engine/Log/A.swift", f"import Foundation\n{line}\n"), [2], line)

    def test_english_words_are_names_in_code_alone(self):
        kind = "public enum Vocabularies {}\n"
        for line, found in (("let a = Vocabularies.all", [1]), ('let a = "Vocabularies"', []), ("// Vocabularies", [])):
            self.assertEqual(self.check("Engine/Log/A.swift", f"{line}\n", kind), found, line)

    def test_a_name_that_the_engine_has_too_is_the_engines(self):
        own = "struct Catalog<BookShelf: Sendable> { let kind: BookShelf }\n"
        self.assertEqual(self.check("Engine/Log/A.swift", own), [])

    def test_imports_point_one_way(self):
        for place, module, found in (
            ("Engine/Log/A.swift", "ShelfKind", [1]), ("Engine/Log/A.swift", "Net", [1]),
            ("Engine/Log/A.swift", "Store", []), ("Engine/Log/A.swift", "Foundation", []),
            ("Services/Mail/A.swift", "Store", [1]), ("Services/Mail/A.swift", "ShelfKind", [1]),
            ("Services/Mail/A.swift", "Net", []), ("Kinds/Other/OtherKind/A.swift", "ShelfKind", [1]),
            ("Kinds/Shelf/ShelfCommands/A.swift", "ShelfKind", []), ("Kinds/Shelf/ShelfCommands/A.swift", "Net", []),
            ("Tool/shelfctl/main.swift", "ShelfKind", []),
        ):
            for form in ("import", "@_exported public import", "package import struct"):
                line = f"{form} {module}.X\n" if form.endswith("struct") else f"{form} {module}\n"
                self.assertEqual(self.check(place, line), found, (place, line))

    def test_pages_are_for_programs(self):
        for place, found in (
            ("Engine/EngineCommands/A.swift", [1]), ("Kinds/Shelf/ShelfCommands/A.swift", [1]), ("Tool/shelfctl/main.swift", []),
        ):
            self.assertEqual(self.check(place, "import CatalogPages\n"), found, place)

    def test_a_kind_that_shows_what_others_can_do_imports_products_alone(self):
        place = "Kinds/TrackLibrary/TrackLibrary/A.swift"
        for module, found in (("Store", [1]), ("Foundation", []), ("CatalogEngine", []), ("Net", [])):
            self.assertEqual(self.check(place, f"import {module}\n"), found, module)

    def test_its_targets_have_no_access_to_package_symbols(self):
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder) / "Sources"
            sources.mkdir()
            target = '.target(name: "T", path: "Sources/Kinds/TrackLibrary/T"'
            for end, status in ((", packageAccess: false)", 0), (")", 1)):
                (pathlib.Path(folder) / "Package.swift").write_text(target + end)
                self.assertEqual(start("check-layers", sources).returncode, status, end)

    def test_a_suite_of_the_engine_imports_no_kind(self):
        with tempfile.TemporaryDirectory() as folder:
            for path, content in {f"Sources/{KIND}": "", "Sources/Engine/Store/B.swift": ""}.items():
                file = pathlib.Path(folder) / path
                file.parent.mkdir(parents=True)
                file.write_text(content)
            for target, module, found in (
                    ("CatalogStoreTests", "ShelfKind", 1), ("CatalogStoreTests", "ShelfTestSupport", 1), ("Notes", "ShelfKind", 1),
                    ("CatalogStoreTests", "Store", 0), ("ShelfTests", "ShelfKind", 0), ("CatalogctlTests", "ShelfKind", 0)):
                file = pathlib.Path(folder) / "Tests" / target / "A.swift"
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(f"import Foundation\n@testable import {module}\n")
                run = run_tool("check-layers", f"{folder}/Sources")
                self.assertEqual(run.returncode, found, (target, module, run))
                self.assertEqual(run.stdout.startswith(f"{file}:2:"), bool(found), run.stdout)
                file.unlink()

    def test_a_suite_of_the_engine_is_built_without_kinds(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "Sources" / KIND
            file.parent.mkdir(parents=True)
            file.write_text("")
            for helper, status in (("Help", 0), ("ShelfTestSupport", 1), ("ShelfKind", 1), ("Other", 1)):
                (pathlib.Path(folder) / "Package.swift").write_text(
                    '.target(name: "ShelfKind"),\n.target(name: "Help"),\n.target(name: "Other", dependencies: ["ShelfKind"]),\n'
                    '.target(name: "ShelfTestSupport", dependencies: ["ShelfKind"]),\n'
                    f'.testTarget(\n  name: "CatalogStoreTests", dependencies: [.target(name: "Help"), "{helper}"]),\n'
                    '.testTarget(name: "ShelfTests", dependencies: ["ShelfKind"])')
                run = run_tool("check-layers", f"{folder}/Sources")
                self.assertEqual(run.returncode, status, (helper, run))

    def rooms(self, files, order):
        """The files and lines that are found in a target of the engine with these files and this order of rooms."""
        with tempfile.TemporaryDirectory() as folder:
            sources = pathlib.Path(folder) / "Sources"
            for path, content in files.items():
                file = sources / "Engine" / "Log" / path
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(content)
            record = pathlib.Path(folder) / "Tools" / "rooms.json"
            record.parent.mkdir()
            record.write_text(json.dumps({"Log": order}))
            run = run_tool("check-layers", sources)
            self.assertEqual(run.stderr, "")
            return [line.removeprefix(f"{sources}/Engine/Log/").split(":")[:2] for line in run.stdout.splitlines()]

    def test_a_room_names_no_type_of_a_later_room(self):
        files = {"Files/A.swift": "struct File {}\n", "Reading/B.swift": "struct Reader {\n  let file: File\n}\n"}
        self.assertEqual(self.rooms(files, ["Files", "Reading"]), [])
        self.assertEqual(self.rooms(files, ["Reading", "Files"]), [["Reading/B.swift", "2"]])
        # In a comment or a string it is a word, and a type of the room's own may have the same name.
        files["Files/A.swift"] = "// a Reader\nstruct File { let a = \"Reader\" }\n"
        self.assertEqual(self.rooms(files, ["Files", "Reading"]), [])
        files["Files/A.swift"] = "struct File { struct Reader {} }\nlet a: File.Reader\n"
        self.assertEqual(self.rooms(files, ["Files", "Reading"]), [])

    def test_every_room_has_a_place_in_the_order(self):
        files = {"Files/A.swift": "", "B.swift": "let a = 1\n"}
        self.assertEqual(self.rooms(files, ["Files", "."]), [])
        self.assertEqual(self.rooms(files, ["Files"]), [["B.swift", "1"]])
        self.assertEqual(self.rooms(files, []), [["B.swift", "1"]])


if __name__ == "__main__":
    unittest.main()
