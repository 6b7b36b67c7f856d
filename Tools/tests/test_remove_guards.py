"""Every guard that Tools/remove-guards takes away is in the sources, once: or it would take nothing away."""

import importlib.machinery
import importlib.util
import pathlib
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent


def guards():
    loader = importlib.machinery.SourceFileLoader("remove_guards", str(ROOT / "Tools" / "remove-guards"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module.GUARDS


class RemoveGuardsTests(unittest.TestCase):
    def test_each_guard_is_there_once(self):
        found = guards()
        self.assertGreater(len(found), 30)
        for guard in found:
            for file, text, _ in guard.edits:
                source = (ROOT / file).read_text(encoding="utf-8")
                self.assertEqual(source.count(text), 1, f"{guard.name}: {text!r} in {file}")


if __name__ == "__main__":
    unittest.main()
