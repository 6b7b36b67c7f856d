import json
import pathlib
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from faults.catalogs import Done, Ledger  # noqa: E402
from faults.promises import Broken, wait_until  # noqa: E402


class Log:
    """A program that prints events."""

    def __init__(self, *events):
        self.lines = [json.dumps({"seq": number, **event}) for number, event in enumerate(events, 1)]

    def must(self, *_, **__):
        return Done((), 0, "\n".join(self.lines), "", 0)


def edit(name, operation):
    return [{"op": operation, "type": "dimension.value.added", "data": {"dimension": "moods", "name": name}},
            {"op": operation, "type": "item.tags.set", "data": {"source": "person", "tags": {"moods": [name]}}}]


class LedgerTest(unittest.TestCase):
    def setUp(self):
        self.ledger = Ledger()
        self.ledger.acknowledged["edit 1"] = 2
        self.ledger.possible.add("edit 2")

    def compare(self, *events):
        return self.ledger.compare(Log(*events), "", "the test")

    def broken(self, words, *events):
        with self.assertRaisesRegex(Broken, words):
            self.compare(*events)

    def test_what_was_killed_is_in_the_log_or_not(self):
        self.assertEqual(self.compare(*edit("edit 1", "a")), 1)
        self.assertEqual(self.compare(*edit("edit 1", "a"), *edit("edit 2", "b")), 2)

    def test_what_was_acknowledged_must_be_there_once_and_at_its_place(self):
        self.broken("is lost", *edit("edit 2", "b"))
        self.broken("2 times", *edit("edit 1", "a"), *edit("edit 1", "b"))
        self.broken("and is event 4", *edit("edit 2", "b"), *edit("edit 1", "a"))

    def test_a_part_of_a_batch_and_an_edit_of_no_command_are_found(self):
        self.broken("a part of a batch", edit("edit 1", "a")[0])
        self.broken("no command made edit 3", *edit("edit 1", "a"), *edit("edit 3", "c"))

    def test_a_gap_is_found(self):
        log = Log(*edit("edit 1", "a"), *edit("edit 2", "b"))
        del log.lines[2]
        with self.assertRaisesRegex(Broken, "event 4 follows event 2"):
            self.ledger.compare(log, "", "the test")

    def test_only_documented_statuses_are_accepted(self):
        self.assertTrue(self.ledger.note("edit 4", Done((), 0, '{"outcome": "applied", "sequence": 4}', "", 0)))
        self.assertFalse(self.ledger.note("edit 5", Done((), 1, "", "unknown", 0)))
        self.assertTrue(self.ledger.note("edit 6", Done((), -9, "", "", 0)))
        with self.assertRaises(Broken):
            self.ledger.note("edit 7", Done((), 3, "", "lost", 0))


class WaitTest(unittest.TestCase):
    def test_a_wait_has_an_end(self):
        with self.assertRaisesRegex(Broken, "nothing came"):
            wait_until(lambda: None, 0.05, "nothing came", 0.01)


if __name__ == "__main__":
    unittest.main()
