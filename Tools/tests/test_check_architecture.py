import importlib.machinery
import importlib.util
import pathlib
import tempfile
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "check-architecture"


class CheckArchitectureTest(unittest.TestCase):
    def check(self, package, page):
        loader = importlib.machinery.SourceFileLoader("check_architecture", str(TOOL))
        module = importlib.util.module_from_spec(importlib.util.spec_from_loader("check_architecture", loader))
        loader.exec_module(module)
        with tempfile.TemporaryDirectory() as folder:
            module.ROOT = pathlib.Path(folder)
            module.PAGE = module.ROOT / "A.md"
            module.PAGE.write_text(page)
            (module.ROOT / "Package.swift").write_text(package)
            return module.main([])

    PACKAGE = '''targets: [
      .target(name: "A", path: "Sources/A"),
      .target(
        name: "B", dependencies: ["A", .product(name: "GRDB", package: "GRDB.swift")], path: "Sources/B"),
    ]'''

    def test_a_true_table_passes(self):
        self.assertEqual(self.check(self.PACKAGE, "| `A` | one | |\n| `B` | two | A, GRDB |\n"), 0)

    def test_a_missing_target_and_a_wrong_dependency_are_found(self):
        self.assertEqual(self.check(self.PACKAGE, "| `A` | one | |\n"), 1)
        self.assertEqual(self.check(self.PACKAGE, "| `A` | one | |\n| `B` | two | A |\n"), 1)
        self.assertEqual(self.check(self.PACKAGE, "| `A` | one | |\n| `B` | two | A, GRDB |\n| `C` | three | |\n"), 1)
