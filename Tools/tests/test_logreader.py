"""What the second reader accepts, and what it must refuse.

Run: python3 -m unittest discover -s Tools/tests
"""

import json
import pathlib
import random
import struct
import subprocess
import sys
import tempfile
import unittest
import zlib

sys.path[:0] = [str(pathlib.Path(__file__).parent), str(pathlib.Path(__file__).parent.parent)]
import logreader  # noqa: E402
from logbuilder import LogBuilder, event_line, segment_name  # noqa: E402


class LogCase(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.events = pathlib.Path(folder.name)

    def write(self, first, content):
        (self.events / segment_name(first)).write_bytes(content)

    def read(self, *segments):
        """Reads a log of the given (first sequence, bytes)."""
        for path in self.events.iterdir():
            path.unlink()
        for first, content in segments:
            self.write(first, content)
        return logreader.read_log(self.events)

    def assert_refused(self, *segments, about=""):
        with self.assertRaises(logreader.Damage) as caught:
            self.read(*segments)
        self.assertIn(about, str(caught.exception))

    def assert_head(self, head, log, batches=None):
        self.assertEqual((head.sequence, head.chain, head.batches), (
            log.sequence, log.chain, len(log.batches) if batches is None else batches))


def small_log():
    log = LogBuilder()
    for count in (1, 3, 2, 5):
        log.add_counted(count)
    return log


class OpenSegments(LogCase):
    def test_reads_batches_of_one_and_of_many_frames(self):
        log = small_log()
        head = self.read((1, log.open_segment(frame=100)))
        self.assert_head(head, log)
        self.assertIsNone(head.torn)

    def test_plain_zstd_prints_the_lines(self):
        log = small_log()
        shown = subprocess.run(["zstd", "-dc"], input=log.open_segment(frame=77),
                               stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(shown, b"".join(batch[2] for batch in log.batches))

    def test_follows_the_chain_over_segments(self):
        log = small_log()
        head = self.read((1, log.open_segment(log.batches[:2])),
                         (5, log.open_segment(log.batches[2:])))
        self.assert_head(head, log)

    def test_an_empty_directory_has_no_head(self):
        self.assertEqual(self.read().as_json(),
                         {"logId": None, "sequence": 0, "chain": None, "batches": 0, "events": 0})

    def test_ignores_torn_copies_temporary_files_and_the_lock(self):
        log = small_log()
        self.write(1, log.open_segment())
        for name in ("LOCK", "00000000000000000001.jsonl.zst.torn-99",
                     ".00000000000000000012.jsonl.zst.new"):
            (self.events / name).write_bytes(b"no segment")
        self.assert_head(logreader.read_log(self.events), log)

    def test_refuses_every_flipped_bit_before_the_last_batch(self):
        log = small_log()
        whole, last = log.open_segment(), len(log.open_batch(log.batches[-1]))
        chances = random.Random(1)
        for offset in chances.sample(range(len(whole) - last), 150):
            damaged = bytearray(whole)
            damaged[offset] ^= 1 << chances.randrange(8)
            with self.subTest(offset=offset):
                self.assert_refused((1, bytes(damaged)))

    def test_a_flip_in_the_last_batch_is_damage_and_not_torn(self):
        log = small_log()
        whole = log.open_segment()
        for offset in range(len(whole) - len(log.open_batch(log.batches[-1])), len(whole)):
            damaged = bytearray(whole)
            damaged[offset] ^= 0x10
            with self.subTest(offset=offset):
                self.assert_refused((1, bytes(damaged)))

    def test_a_cut_leaves_the_whole_batches_and_says_torn(self):
        log = small_log()
        pieces = [log.open_batch(batch) for batch in log.batches]
        whole, before = b"".join(pieces), b"".join(pieces[:-1])
        for end in range(len(before) + 1, len(whole), 7):
            head = self.read((1, whole[:end]))
            with self.subTest(end=end):
                self.assertEqual((head.sequence, head.chain), (6, log.batches[2][4]))
                self.assertEqual(head.torn["offset"], len(before))

    def test_a_tail_that_was_known_is_damage(self):
        log = small_log()
        whole = log.open_segment()
        self.read((1, whole[:-1]))
        self.assertEqual(logreader.read_log(self.events, known=6).sequence, 6)
        with self.assertRaises(logreader.Damage):
            logreader.read_log(self.events, known=7)
        self.read((1, log.open_segment(log.batches[:-1])))
        with self.assertRaisesRegex(logreader.Damage, "7 was acknowledged"):
            logreader.read_log(self.events, known=7)

    def test_a_cut_segment_that_another_follows_is_damage(self):
        log = small_log()
        self.assert_refused((1, log.open_segment(log.batches[:2])[:-3]),
                            (5, log.open_segment(log.batches[2:])))

    def test_a_zeroed_sector_in_the_last_batch_is_torn(self):
        log = LogBuilder().add_counted(2)
        chances = random.Random(2)
        log.add([event_line(3, data={"noise": chances.randbytes(3000).hex()})])
        whole, start = log.open_segment(), len(log.open_batch(log.batches[0]))
        zeroed = whole[:1024] + bytes(512) + whole[1536:]
        head = self.read((1, zeroed))
        self.assertEqual((head.sequence, head.torn["offset"]), (2, start))
        for zeroed in (whole[:1030] + bytes(400) + whole[1430:], whole + bytes(1)):
            if len(zeroed) == len(whole):
                self.assert_refused((1, zeroed), about="CRC")
            else:
                self.assertEqual(self.read((1, zeroed)).torn["offset"], len(whole))

    def test_zeros_to_the_end_of_the_file_are_torn(self):
        log = small_log()
        head = self.read((1, log.open_segment() + bytes(3000)))
        self.assert_head(head, log)
        self.assertEqual(head.torn["bytes"], 3000)

    def test_a_broken_header_before_a_valid_one_is_damage(self):
        log = small_log()
        pieces = [log.open_batch(batch) for batch in log.batches]
        pieces[2] = bytes(len(pieces[2]))
        self.assert_refused((1, b"".join(pieces)))

    def test_refuses_batches_left_out_swapped_or_doubled(self):
        log = small_log()
        a, b, c, d = (log.open_batch(batch) for batch in log.batches)
        for whole in (a + c + d, a + c + b + d, a + b + b + c, b + c + d):
            self.assert_refused((1, whole), about="due is")

    def test_refuses_frames_swapped_with_their_table_and_a_chain_that_is_wrong(self):
        log = LogBuilder().add([event_line(1), event_line(2)])
        first, count, plain, previous, chain = log.batches[0]
        half = plain.index(b"\n") + 1
        swapped = (first, count, plain[half:] + plain[:half], previous, chain)
        self.assert_refused((1, log.open_segment([swapped])), about="chain hash")

    def test_refuses_headers_that_are_sealed_by_a_crc_but_wrong(self):
        log = small_log()
        batch = log.batches[0]
        for changes, about in (({"count": 2}, "lines"), ({"plain": 1}, "add up"),
                               ({"version": 2}, "version 2"), ({"flags": 1}, "flags 1"),
                               ({"first": 2}, "first sequence"), ({"chain": bytes(32)}, "chain"),
                               ({"log_id": bytes(16)}, "due is")):
            with self.subTest(about):
                self.assert_refused((1, log.open_batch(batch, **changes)), about=about)

    def test_refuses_another_logs_segment_and_a_misnamed_one(self):
        log, other = small_log(), LogBuilder(bytes(range(16)))
        other.add_counted(1)
        self.assert_refused((1, log.open_segment()), (12, other.open_segment()), about="log id")
        self.assert_refused((2, log.open_segment()), about="name says")

    def test_refuses_a_frame_without_its_content_size(self):
        log = LogBuilder().add_counted(1)
        whole = log.open_segment()
        plain = log.batches[0][2]
        frame = subprocess.run(["zstd", "-q", "-c"], input=plain, stdout=subprocess.PIPE).stdout
        table = struct.pack("<III", len(frame), len(plain), zlib.crc32(frame))
        head = whole[:124] + struct.pack("<I", zlib.crc32(table))
        whole = head + struct.pack("<I", zlib.crc32(head)) + table + frame
        self.assert_refused((1, whole), about="content size")


class SealedSegments(LogCase):
    def test_reads_one_frame_many_frames_and_frames_shorter_than_a_batch(self):
        log = small_log()
        for frame in (16 << 20, 1000, 500, 100):
            with self.subTest(frame=frame):
                self.assert_head(self.read((1, log.sealed_segment(frame=frame))), log)

    def test_sealing_keeps_the_head_and_an_open_segment_follows(self):
        log = small_log()
        head = self.read((1, log.sealed_segment(log.batches[:3])),
                         (7, log.open_segment(log.batches[3:])))
        self.assert_head(head, log)

    def test_plain_zstd_prints_the_lines(self):
        log = small_log()
        shown = subprocess.run(["zstd", "-dc"], input=log.sealed_segment(frame=300),
                               stdout=subprocess.PIPE, check=True).stdout
        self.assertEqual(shown, b"".join(batch[2] for batch in log.batches))

    def test_refuses_every_flip_and_every_cut_even_at_the_end_of_the_log(self):
        log = small_log()
        whole = log.sealed_segment(frame=700)
        chances = random.Random(3)
        for offset in range(0, len(whole), 3):
            damaged = bytearray(whole)
            damaged[offset] ^= 1 << chances.randrange(8)
            with self.subTest(flip=offset):
                self.assert_refused((1, bytes(damaged)))
        for end in range(1, len(whole), 11):
            with self.subTest(cut=end):
                self.assert_refused((1, whole[:end]))
        self.assert_refused((1, whole + b"\0"), about="after the seek table")

    def test_refuses_tables_that_do_not_fit_though_their_crcs_do(self):
        log = small_log()
        for changes, about in (({"count": 12}, "add up"), ({"batch_count": 3}, "batch"),
                               ({"after": bytes(32)}, "chain hash after"),
                               ({"before": bytes(32)}, "chain hash before"),
                               ({"first": 2}, "first sequence"), ({"plain": 5}, "fit"),
                               ({"batch_table": b"\x81" * 8}, "batch table")):
            with self.subTest(about):
                self.assert_refused((1, log.sealed_segment(**changes)), about=about)


class Command(LogCase):
    def run_command(self):
        return subprocess.run([sys.executable, logreader.__file__, self.events],
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)

    def test_prints_the_head(self):
        log = small_log()
        self.write(1, log.open_segment())
        done = self.run_command()
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(json.loads(done.stdout), {
            "logId": "6f9619ff-8b86-4011-b42d-00c04fc964ff", "sequence": 11,
            "chain": log.chain.hex(), "batches": 4, "events": 11})

    def test_damage_is_exit_3_with_file_and_offset(self):
        self.write(1, b"\x28\xb5\x2f\xfd" * 100)
        done = self.run_command()
        self.assertEqual(done.returncode, 3)
        self.assertIn("00000000000000000001.jsonl.zst: offset 0", done.stderr)


if __name__ == "__main__":
    unittest.main()
