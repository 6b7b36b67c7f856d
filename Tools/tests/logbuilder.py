"""Builds event logs for tests, from docs/EVENT_LOG_FORMAT.md and with the zstd command."""

import functools
import hashlib
import json
import struct
import subprocess
import uuid
import zlib

LOG_ID = uuid.UUID("6f9619ff-8b86-4011-b42d-00c04fc964ff").bytes


@functools.cache
def compress(plain, level=3):
    return subprocess.run(
        ["zstd", "-q", "-c", f"-{level}", f"--stream-size={len(plain)}"], input=plain,
        stdout=subprocess.PIPE, check=True).stdout


def event_line(sequence, type="test.event", data=None, by="cli", at="2026-01-31T12:00:00.000Z"):
    event = {"seq": sequence, "at": at, "type": type, "v": 1, "op": str(uuid.UUID(int=sequence)),
             "by": by, "data": {"n": sequence} if data is None else data}
    return json.dumps(event, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def next_chain(chain, first, plain, count):
    return hashlib.sha256(
        chain + struct.pack("<Q", first) + plain + struct.pack("<Q", count)).digest()


class LogBuilder:
    """Appends batches; `batches` holds (first, count, plain, previous chain, chain) of each."""

    def __init__(self, log_id=LOG_ID):
        self.log_id = log_id
        self.chain = hashlib.sha256(log_id).digest()
        self.sequence = 0
        self.batches = []

    def add(self, lines):
        plain, first = b"".join(lines), self.sequence + 1
        previous = self.chain
        self.chain = next_chain(previous, first, plain, len(lines))
        self.sequence += len(lines)
        self.batches.append((first, len(lines), plain, previous, self.chain))
        return self

    def add_counted(self, count):
        return self.add([event_line(self.sequence + 1 + n) for n in range(count)])

    def open_segment(self, batches=None, frame=1 << 20):
        return b"".join(self.open_batch(batch, frame)
                        for batch in (self.batches if batches is None else batches))

    def open_batch(self, batch, frame=1 << 20, **changes):
        first, count, plain, previous, chain = batch
        frames = [plain[at:at + frame] for at in range(0, len(plain), frame)]
        stored = [compress(part) for part in frames]
        table = b"".join(struct.pack("<III", len(packed), len(part), zlib.crc32(packed))
                         for packed, part in zip(stored, frames))
        field = {"version": 1, "flags": 0, "log_id": self.log_id, "first": first, "count": count,
                 "plain": len(plain), "previous": previous, "chain": chain, **changes}
        head = struct.pack(
            "<II4sHH16sQQQ32s32sII", 0x184D2A51, 124 + len(table), b"CBAT", field["version"],
            field["flags"], field["log_id"], field["first"], field["count"], field["plain"],
            field["previous"], field["chain"], len(frames), zlib.crc32(table))
        return head + struct.pack("<I", zlib.crc32(head)) + table + b"".join(stored)

    def sealed_segment(self, batches=None, frame=16 << 20, **changes):
        batches = self.batches if batches is None else batches
        whole = b"".join(plain for _, _, plain, _, _ in batches)
        cuts = self._cuts(batches, frame)
        ends, at = [], 0
        for _, _, plain, _, chain in batches:
            at += len(plain)
            ends.append((at, chain))
        frames, packed = [], []
        for start, end in zip([0] + cuts, cuts):
            before = [chain for place, chain in ends if place <= end]
            ended = sum(start < place <= end for place, _ in ends)
            packed.append(compress(whole[start:end], 9))
            frames.append((len(packed[-1]), end - start, zlib.crc32(packed[-1]), ended,
                           before[-1] if before else batches[0][3]))
        table = b"".join(struct.pack("<IIII32s", *entry) for entry in frames)
        plain_table = b"".join(leb128(count) + leb128(len(plain))
                               for _, count, plain, _, _ in batches)
        plain_table = changes.pop("batch_table", plain_table)
        batch_table = compress(plain_table)
        field = {"first": batches[0][0], "count": sum(batch[1] for batch in batches),
                 "batch_count": len(batches), "plain": len(whole), "before": batches[0][3],
                 "after": batches[-1][4], **changes}
        head = struct.pack(
            "<II4sHH16sQQQQ32s32sIII", 0x184D2A52, 144 + len(table) + len(batch_table), b"CSEA",
            1, 0, self.log_id, field["first"], field["count"], field["batch_count"], field["plain"],
            field["before"], field["after"], len(frames), zlib.crc32(table), len(batch_table))
        head += struct.pack("<II", len(plain_table), zlib.crc32(batch_table))
        header = head + struct.pack("<I", zlib.crc32(head)) + table + batch_table
        entries = struct.pack("<II", len(header), 0) + b"".join(
            struct.pack("<II", stored, plain) for stored, plain, *_ in frames)
        footer = struct.pack("<IBI", len(frames) + 1, 0, 0x8F92EAB1)
        seek = struct.pack("<II", 0x184D2A5E, len(entries) + len(footer)) + entries + footer
        return header + b"".join(packed) + seek

    @staticmethod
    def _cuts(batches, frame):
        """Frames end at the end of a batch unless one batch alone is longer than a frame."""
        cuts, start, at = [], 0, 0
        for _, _, plain, _, _ in batches:
            if at > start and at + len(plain) - start > frame:
                cuts.append(at)
                start = at
            at += len(plain)
            while at - start > frame:
                start += frame
                cuts.append(start)
        return cuts + [at]


def leb128(number):
    out = bytearray()
    while number > 0x7F:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes(out + bytes([number]))


def segment_name(first):
    return f"{first:020}.jsonl.zst"
