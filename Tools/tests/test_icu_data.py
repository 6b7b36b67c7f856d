import importlib.machinery
import importlib.util
import pathlib
import struct
import sys
import unittest

TOOL = pathlib.Path(__file__).resolve().parent.parent / "icu-data"


def loaded():
    """The tool, which has no suffix, as a module."""
    loader = importlib.machinery.SourceFileLoader("icu_data", str(TOOL))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    # Compiled code would be written beside the tool.
    sys.dont_write_bytecode, writes = True, sys.dont_write_bytecode
    loader.exec_module(module)
    sys.dont_write_bytecode = writes
    return module


class ICUDataTest(unittest.TestCase):
    def test_data_are_reduced_to_items_that_belong_to_no_language(self):
        tool = loaded()
        items = {
            "brkitr/word.brk": b"word", "curr/de.res": b"Mark", "curr/supplementalData.res": b"more", "en.res": b"English" * 5,
            "gb18030-2022.cnv": b"table", "nfc.nrm": b"forms", "root.res": b"root",
        }
        package = self.icu_package(items)
        kept = tool.reduced(package, tool.is_kept)
        expected = {name: item for name, item in items.items() if name not in ("curr/de.res", "gb18030-2022.cnv")}
        self.assertEqual(self.icu_items(kept), expected)
        self.assertEqual(tool.reduced(kept, lambda name: True), kept)
        with self.assertRaises(ValueError):
            tool.reduced(b"\0" * 64, tool.is_kept)

    def icu_package(self, items):
        header = struct.pack("<HH", 32, 0x27DA) + b"\x14\0\0\0\0\0\2\0" + b"CmnD"
        names = b"".join(f"icudt1l/{name}\0".encode() for name in items)
        begin = 4 + 8 * len(items) + len(names)
        begin += -begin % 16
        name_place, place, entries, contents = 4 + 8 * len(items), begin, b"", b""
        for name, item in items.items():
            entries += struct.pack("<II", name_place, place)
            name_place += len(f"icudt1l/{name}") + 1
            contents += item + b"\0" * (-len(item) % 16)
            place = begin + len(contents)
        return header.ljust(32, b"\0") + (struct.pack("<I", len(items)) + entries + names).ljust(begin, b"\0") + contents

    def icu_items(self, package):
        body = package[struct.unpack_from("<H", package)[0]:]
        places = [struct.unpack_from("<II", body, 4 + 8 * index) for index in range(struct.unpack_from("<I", body)[0])]
        ends = [place for _, place in places[1:]] + [len(body)]
        names = [body[name:body.index(0, name)].decode().partition("/")[2] for name, _ in places]
        self.assertEqual(names, sorted(names))
        return {name: body[place:end].rstrip(b"\0") for name, (_, place), end in zip(names, places, ends)}
