#!/usr/bin/env python3
"""Second reader of the event log, written from docs/EVENT_LOG_FORMAT.md alone.

usage: Tools/logreader.py EVENTS_DIR [--known SEQUENCE]

Reads every segment and checks all that the format page promises: CRCs of headers, frame tables
and stored frames, the structure and content size of each zstd frame, counts, sequences, the chain,
and of sealed segments the batch table and the seek table. Decompression is the `zstd` command's,
one process a segment. Prints the head as one line of JSON:

    {"logId":"…","sequence":7,"chain":"…","batches":3,"events":7}

An interrupted write at the end is not an error: the head before it is printed, with a key "torn"
that says where. This reader looks at the events directory only: what a projection or a pinned head
has seen of the log is told with --known, and a tail that was known is damage.

Exit status: 0 read to the end, 1 an error (no directory, no zstd), 3 damage: file, offset and what
on standard error, 64 a wrong argument.
"""

import argparse
import hashlib
import json
import mmap
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import threading
import uuid
import zlib

OPEN_MAGIC, SEAL_MAGIC, SEEK_MAGIC = 0x184D2A51, 0x184D2A52, 0x184D2A5E
ZSTD_MAGIC, SEEKABLE_MAGIC = 0xFD2FB528, 0x8F92EAB1
SEGMENT_NAME = re.compile(r"\d{20}\.jsonl\.zst")

BATCH_FIXED = struct.Struct("<II4sHH16sQQQ32s32sIII")  # 132 bytes, the last field is the CRC
BATCH_FRAME = struct.Struct("<III")
SEAL_FIXED = struct.Struct("<II4sHH16sQQQQ32s32sIIIIII")  # 152 bytes, the last field is the CRC
SEAL_FRAME = struct.Struct("<IIII32s")
SECTOR = 512
MIB = 1 << 20
MAX_FRAMES, MAX_LINE = 65_536, 64 * MIB
MAX_OPEN_FRAME, MAX_SEALED_FRAME = MIB, 16 * MIB
MAX_BATCHES = 1 << 20


class ReaderError(Exception):
    """Something that is no damage: a missing directory or tool."""


class Damage(Exception):
    """Bytes that are not what the format says, with the place."""

    def __init__(self, name, offset, what):
        super().__init__(f"{name}: offset {offset}: {what}")
        self.name, self.offset, self.what = name, offset, what


class Broken(Damage):
    """Damage that an interrupted write leaves too: bytes missing, or a CRC that does not fit."""


class Head:
    """Where the log stands after what was read so far."""

    def __init__(self):
        self.log_id = None  # 16 bytes, told by the first header
        self.sequence = 0
        self.chain = None
        self.batches = 0
        self.torn = None
        self.seen = {}  # last sequence of each batch: chain hash

    def start(self, log_id):
        if self.log_id is None:
            self.log_id = log_id
            self.chain = hashlib.sha256(log_id).digest()

    def as_json(self):
        result = {
            "logId": str(uuid.UUID(bytes=self.log_id)) if self.log_id else None,
            "sequence": self.sequence, "chain": self.chain.hex() if self.chain else None,
            "batches": self.batches, "events": self.sequence}
        if self.torn:
            result["torn"] = self.torn
        return result


class Frame:
    """A zstd frame in the file. `ended` and `chain` are told by sealed segments only."""

    def __init__(self, offset, stored, plain, ended=None, chain=None):
        self.offset, self.stored, self.plain = offset, stored, plain
        self.ended, self.chain = ended, chain


class Batch:
    """An expected batch: `chain` is None where only the frame's end tells it (sealed)."""

    def __init__(self, offset, first, count, plain, chain=None):
        self.offset, self.first, self.count = offset, first, count
        self.plain, self.chain = plain, chain


# --- zstd ----------------------------------------------------------------------------------------

def check_frame(name, data, frame, size_required=True):
    """Walks a zstd frame without decoding it: magic, content size, no dictionary, exact extent.

    The size in a data frame's own header is what lets one process decode many frames: zstd refuses
    a frame that does not fill it, so plain lengths cut the common output at the right places.
    """
    start, end = frame.offset, frame.offset + frame.stored

    def damage(what):
        return Damage(name, start, f"data frame: {what}")

    if frame.stored < 9 or struct.unpack_from("<I", data, start)[0] != ZSTD_MAGIC:
        raise damage("no zstd frame begins here")
    descriptor = data[start + 4]
    size_code, single = descriptor >> 6, descriptor >> 5 & 1
    if descriptor & 8:
        raise damage("reserved bit set in the frame header")
    if descriptor & 3:
        raise damage("needs a dictionary")
    size_bytes = (1 if single else 0, 2, 4, 8)[size_code]
    if size_bytes == 0 and size_required:
        raise damage("content size is not recorded")
    at = start + 5 + (0 if single else 1)
    size = int.from_bytes(data[at:at + size_bytes], "little") + (256 if size_bytes == 2 else 0)
    if size_bytes and size != frame.plain:
        raise damage(f"content size {size}, but the frame table says {frame.plain}")
    at += size_bytes
    last = False
    while not last:
        if at + 3 > end:
            raise damage("blocks run past the stored length")
        block = int.from_bytes(data[at:at + 3], "little")
        last, kind, length = block & 1, block >> 1 & 3, block >> 3
        if kind == 3:
            raise damage("reserved block type")
        at += 3 + (1 if kind == 1 else length)
    at += 4 if descriptor & 4 else 0
    if at != end:
        raise damage(f"ends at {at}, but the stored length says {end}")


def check_stored(name, data, offset, length, crc, what):
    if offset + length > len(data):
        raise Broken(
            name, offset, f"{what}: {length} bytes stored, {len(data) - offset} in the file")
    found = zlib.crc32(memoryview(data)[offset:offset + length])
    if found != crc:
        raise Broken(name, offset, f"{what}: CRC-32 {found:08x}, its table says {crc:08x}")


class Decoder:
    """One `zstd -dc` process, fed with the given frames; read(n) gives their plain bytes."""

    def __init__(self, name, data, frames):
        tool = shutil.which("zstd")
        if tool is None:
            raise ReaderError("no `zstd` command on PATH; install the package zstd")
        self._name, self._offset = name, frames[0].offset if frames else 0
        self._process = subprocess.Popen(
            [tool, "-q", "-d", "-c"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE)
        self._feeder = threading.Thread(target=self._feed, args=(data, frames), daemon=True)
        self._feeder.start()

    def _feed(self, data, frames):
        try:
            with self._process.stdin as sink:
                for frame in frames:
                    sink.write(data[frame.offset:frame.offset + frame.stored])
        except OSError:
            pass  # the process has ended early: its status tells

    def read(self, length, offset):
        chunk = self._process.stdout.read(length)
        if len(chunk) != length:
            raise Damage(self._name, offset, self._complaint("does not decode"))
        return chunk

    def close(self):
        """After everything was read: nothing may be left, and zstd must be content."""
        rest = self._process.stdout.read(1)
        self._feeder.join()
        if rest:
            raise Damage(self._name, self._offset, "frames hold more than their plain lengths")
        if self._process.wait() != 0:
            raise Damage(self._name, self._offset, self._complaint("does not decode"))
        self._close_pipes()

    def abandon(self):
        self._process.kill()
        self._process.wait()
        self._feeder.join()
        self._close_pipes()

    def _close_pipes(self):
        self._process.stdout.close()
        self._process.stderr.close()

    def _complaint(self, what):
        text = self._process.stderr.read().decode(errors="replace").strip().splitlines()
        return f"{what}: {text[-1]}" if text else what


def decode(name, data, frames, batches, head):
    """Decodes the frames and holds batches, counts and chain against what headers say."""
    if not batches:
        return
    decoder = Decoder(name, data, frames)
    done = False
    try:
        walk = iter(batches)
        batch, run = None, 0
        for frame in frames:
            left, ended = frame.plain, 0
            while left:
                if batch is None:
                    batch = next(walk, None)
                    if batch is None:
                        raise Damage(name, frame.offset, "frames hold more than their batches")
                    digest = hashlib.sha256(head.chain + batch.first.to_bytes(8, "little"))
                    missing, lines, run = batch.plain, 0, 0
                chunk = decoder.read(min(left, missing, MIB), frame.offset)
                left -= len(chunk)
                missing -= len(chunk)
                digest.update(chunk)
                lines += chunk.count(b"\n")
                line_end = chunk.find(b"\n")
                longest = run + (len(chunk) if line_end < 0 else line_end + 1)
                run = longest if line_end < 0 else len(chunk) - 1 - chunk.rfind(b"\n")
                if longest > MAX_LINE:
                    raise Damage(name, frame.offset, "a line is longer than 64 MiB")
                if missing == 0:
                    finish(name, batch, lines, run, digest, head)
                    batch = None
                    ended += 1
            if frame.ended is not None:
                if ended != frame.ended:
                    raise Damage(name, frame.offset,
                                 f"{ended} batches end in this frame, its table says {frame.ended}")
                if head.chain != frame.chain:
                    raise Damage(name, frame.offset,
                                 f"chain hash after this frame is {head.chain.hex()}, "
                                 f"its table says {frame.chain.hex()}")
        if batch is not None or next(walk, None) is not None:
            raise Damage(name, frames[-1].offset, "frames hold less than their batches")
        decoder.close()
        done = True
    finally:
        if not done:
            decoder.abandon()


def finish(name, batch, lines, run, digest, head):
    if run or lines != batch.count:
        raise Damage(name, batch.offset, f"batch at sequence {batch.first}: {lines} lines"
                     f"{' and an unfinished one' if run else ''}, {batch.count} events expected")
    digest.update(batch.count.to_bytes(8, "little"))
    chain = digest.digest()
    if batch.chain is not None and chain != batch.chain:
        raise Damage(name, batch.offset, f"batch at sequence {batch.first}: chain hash is "
                     f"{chain.hex()}, its header says {batch.chain.hex()}")
    head.chain = chain
    head.sequence = batch.first + batch.count - 1
    head.batches += 1
    head.seen[head.sequence] = chain


# --- Open segments -------------------------------------------------------------------------------

def read_batch_header(name, data, start, expected):
    """Checks one batch header and its stored frames; returns (Batch, frames, end).

    expected: (log id or None, first sequence, previous chain hash or None where the first header of
    the log tells the log id).
    """
    def damage(what, offset=start):
        return Damage(name, offset, f"batch header: {what}")

    def broken(what, offset=start):
        return Broken(name, offset, f"batch header: {what}")

    fixed = data[start:start + BATCH_FIXED.size]
    if len(fixed) < BATCH_FIXED.size:
        raise broken(f"{len(fixed)} bytes of {BATCH_FIXED.size}")
    (magic, content, signature, version, flags, log_id, first, count, plain, previous, chain,
     frame_count, table_crc, crc) = BATCH_FIXED.unpack(fixed)
    if zlib.crc32(fixed[:128]) != crc:
        raise broken("CRC-32 of the fixed part is wrong")
    if magic != OPEN_MAGIC or signature != b"CBAT":
        raise damage("wrong magic or signature")
    if version != 1 or flags != 0:
        raise damage(f"version {version}, flags {flags}: this reader knows version 1, flags 0")
    if not 1 <= frame_count <= MAX_FRAMES or content != 124 + 12 * frame_count:
        raise damage(f"content size {content} does not fit {frame_count} frames")
    due_id, due_first, due_chain = expected
    if due_id is not None and log_id != due_id:
        raise damage(f"log id {uuid.UUID(bytes=log_id)}, not this log's {uuid.UUID(bytes=due_id)}")
    if first != due_first:
        raise damage(f"first sequence {first}, due is {due_first}")
    due_chain = due_chain or hashlib.sha256(log_id).digest()
    if previous != due_chain:
        raise damage(f"previous chain hash {previous.hex()}, due is {due_chain.hex()}")
    if count < 1 or first + count > 1 << 64 or plain < count:
        raise damage(f"{count} events in {plain} bytes")

    at = start + BATCH_FIXED.size
    table = data[at:at + 12 * frame_count]
    if len(table) < 12 * frame_count:
        raise broken(f"{len(table)} bytes of the frame table's {12 * frame_count}", at)
    if zlib.crc32(table) != table_crc:
        raise broken("CRC-32 of the frame table is wrong", at)
    at += len(table)
    frames, crcs = [], []
    for stored, length, frame_crc in BATCH_FRAME.iter_unpack(table):
        if not 1 <= length <= MAX_OPEN_FRAME:
            raise damage(f"frame of {length} plain bytes, 1 … {MAX_OPEN_FRAME} allowed")
        frames.append(Frame(at, stored, length))
        crcs.append(frame_crc)
        at += stored
    if sum(frame.plain for frame in frames) != plain:
        raise damage("the frames' plain lengths do not add up to the batch's")
    for frame, frame_crc in zip(frames, crcs):
        check_stored(name, data, frame.offset, frame.stored, frame_crc, "data frame")
        check_frame(name, data, frame)
    return Batch(start, first, count, plain, chain), frames, at, log_id


def trusted_extent(data, start):
    """Where the batch at start ends by its own header, or None where header or table is broken."""
    fixed = data[start:start + BATCH_FIXED.size]
    if len(fixed) < BATCH_FIXED.size or zlib.crc32(fixed[:128]) != struct.unpack_from(
            "<I", fixed, 128)[0]:
        return None
    frame_count, table_crc = struct.unpack_from("<II", fixed, 120)
    table = data[start + BATCH_FIXED.size:start + BATCH_FIXED.size + 12 * frame_count]
    if len(table) < 12 * frame_count or zlib.crc32(table) != table_crc:
        return None
    return start + BATCH_FIXED.size + len(table) + sum(
        stored for stored, _, _ in BATCH_FRAME.iter_unpack(table))


def header_announces(data, start):
    """Length of header and frame table, where the fixed part is right; else None."""
    fixed = data[start:start + BATCH_FIXED.size]
    if len(fixed) == BATCH_FIXED.size and zlib.crc32(fixed[:128]) == struct.unpack_from(
            "<I", fixed, 128)[0]:
        return BATCH_FIXED.size + 12 * struct.unpack_from("<I", fixed, 120)[0]
    return None


def zero_pieces(data, start, end):
    """The pieces of [start, end) that aligned sectors cut and that are all zero: (from, to)."""
    at = start
    while at < end:
        to = min(end, (at // SECTOR + 1) * SECTOR)
        if not any(data[at:to]):
            yield at, to
        at = to


def is_torn(data, start, expected):
    """Whether the rest of the last, open segment is a write that a crash interrupted."""
    size = len(data)
    due_id, due_first, due_chain = expected
    # Nothing valid after it: a batch header anywhere later means that this is no tail.
    at = data.find(struct.pack("<I", OPEN_MAGIC), start + 1)
    while at >= 0:
        if header_announces(data, at) is not None and data[at + 8:at + 12] == b"CBAT":
            return False
        at = data.find(struct.pack("<I", OPEN_MAGIC), at + 1)

    zeros = list(zero_pieces(data, start, size))
    if sum(to - at for at, to in zeros) == size - start:
        return True
    # What is there of the header, where not zeroed, is the header that was due.
    due = {0: struct.pack("<I", OPEN_MAGIC), 8: b"CBAT" + struct.pack("<HH", 1, 0),
           32: struct.pack("<Q", due_first)}
    if due_id is not None:
        due.update({16: due_id, 56: due_chain})
    zeroed = {offset for at, to in zeros for offset in range(at, min(to, start + 132))}
    for field, wanted in due.items():
        for index, byte in enumerate(wanted):
            offset = start + field + index
            if offset < size and offset not in zeroed and data[offset] != byte:
                return False

    end = trusted_extent(data, start)
    if end is not None and end < size:
        return False  # bytes stand after the batch: it was not the last write
    if end is not None and end > size:
        return True
    if end is None:
        announced = header_announces(data, start)
        if size - start < (announced or BATCH_FIXED.size):
            return True  # cut short inside the header or the frame table
    return any(to - at == SECTOR for at, to in zeros)


def read_open(name, data, head, is_last, known):
    start, first_due = 0, head.sequence + 1
    log_id, chain_due = head.log_id, head.chain
    batches, frames = [], []
    if not len(data):
        raise Damage(name, 0, "an empty segment")
    while start < len(data):
        expected = (log_id, first_due, chain_due)
        try:
            batch, more, end, log_id = read_batch_header(name, data, start, expected)
        except Broken as damage:
            # A segment gets its name with its first batch on disk: that one is never torn.
            if start == 0 or not is_last or first_due <= known or not is_torn(data, start, expected):
                raise
            head.torn = {"file": name, "offset": start, "bytes": len(data) - start,
                         "what": damage.what}
            break
        batches.append(batch)
        frames += more
        start, first_due, chain_due = end, batch.first + batch.count, batch.chain
    if batches:
        head.start(log_id)
    decode(name, data, frames, batches, head)


# --- Sealed segments -----------------------------------------------------------------------------

def leb128(name, offset, data):
    """The numbers of a run of LEB128, below 2^64 and in shortest form."""
    numbers, value, shift = [], 0, 0
    for byte in data:
        value |= (byte & 0x7F) << shift
        if byte & 0x80:
            shift += 7
            if shift > 63:
                raise Damage(name, offset, "batch table: a number is longer than 64 bits")
        else:
            if value >= 1 << 64 or (shift and not byte):
                raise Damage(name, offset, "batch table: a number is not in its shortest form")
            numbers.append(value)
            value, shift = 0, 0
    if shift:
        raise Damage(name, offset, "batch table: ends inside a number")
    return numbers


def read_sealed(name, data, head):
    def damage(what, offset=0):
        return Damage(name, offset, f"seal header: {what}")

    fixed = data[:SEAL_FIXED.size]
    if len(fixed) < SEAL_FIXED.size:
        raise damage(f"{len(fixed)} bytes of {SEAL_FIXED.size}")
    (magic, content, signature, version, flags, log_id, first, count, batch_count, plain, before,
     after, frame_count, frames_crc, table_stored, table_plain, table_crc,
     crc) = SEAL_FIXED.unpack(fixed)
    if zlib.crc32(fixed[:148]) != crc:
        raise damage("CRC-32 of the fixed part is wrong")
    if magic != SEAL_MAGIC or signature != b"CSEA":
        raise damage("wrong magic or signature")
    if version != 1 or flags != 0:
        raise damage(f"version {version}, flags {flags}: this reader knows version 1, flags 0")
    if not 1 <= frame_count <= MAX_FRAMES or content != 144 + 48 * frame_count + table_stored:
        raise damage(f"content size {content} does not fit {frame_count} frames")
    if head.log_id is not None and log_id != head.log_id:
        raise damage(f"log id {uuid.UUID(bytes=log_id)}, not this log's "
                     f"{uuid.UUID(bytes=head.log_id)}")
    head.start(log_id)
    if first != head.sequence + 1:
        raise damage(f"first sequence {first}, due is {head.sequence + 1}")
    if before != head.chain:
        raise damage(f"chain hash before it {before.hex()}, due is {head.chain.hex()}")
    if not 1 <= batch_count <= min(count, MAX_BATCHES) or count > plain or not 2 * batch_count <= table_plain <= (
            20 * batch_count):
        raise damage(f"{batch_count} batches, {count} events, {plain} bytes, "
                     f"batch table of {table_plain} bytes do not fit")

    at = SEAL_FIXED.size
    check_stored(name, data, at, 48 * frame_count, frames_crc, "frame table")
    table = data[at:at + 48 * frame_count]
    at += len(table)
    check_stored(name, data, at, table_stored, table_crc, "batch table")
    batch_table = Frame(at, table_stored, table_plain)
    at += table_stored
    header_end = at
    frames = []
    for stored, length, frame_crc, ended, chain in SEAL_FRAME.iter_unpack(table):
        if not 1 <= length <= MAX_SEALED_FRAME:
            raise damage(f"frame of {length} plain bytes, 1 … {MAX_SEALED_FRAME} allowed")
        frame = Frame(at, stored, length, ended, chain)
        check_stored(name, data, at, stored, frame_crc, "data frame")
        check_frame(name, data, frame)
        frames.append(frame)
        at += stored
    if sum(frame.plain for frame in frames) != plain:
        raise damage("the frames' plain lengths do not add up to the segment's")
    check_seek_table(name, data, at, header_end, frames)

    check_frame(name, data, batch_table, size_required=False)
    decoder = Decoder(name, data, [batch_table])
    try:
        plain_table = decoder.read(table_plain, batch_table.offset)
        decoder.close()
    except Damage:
        decoder.abandon()
        raise
    numbers = leb128(name, batch_table.offset, plain_table)
    counts, lengths = numbers[::2], numbers[1::2]
    if (len(counts), len(lengths)) != (batch_count, batch_count) or sum(counts) != count or sum(
            lengths) != plain or not all(1 <= c <= n for c, n in zip(counts, lengths)):
        raise Damage(name, batch_table.offset, "batch table does not add up to the seal header")
    batches, sequence = [], first
    for events, length in zip(counts, lengths):
        batches.append(Batch(batch_table.offset, sequence, events, length))
        sequence += events
    decode(name, data, frames, batches, head)
    if head.chain != after:
        raise damage(f"chain hash after it {after.hex()}, found {head.chain.hex()}")


def check_seek_table(name, data, at, header_end, frames):
    entries = b"".join(
        struct.pack("<II", stored, plain)
        for stored, plain in [(header_end, 0)] + [(frame.stored, frame.plain) for frame in frames])
    footer = struct.pack("<IBI", len(frames) + 1, 0, SEEKABLE_MAGIC)
    wanted = struct.pack("<II", SEEK_MAGIC, len(entries) + len(footer)) + entries + footer
    found = data[at:]
    if found != wanted:
        raise Damage(name, at, "bytes stand after the seek table" if found.startswith(wanted)
                     else "seek table is not that of the seal header")


# --- The log -------------------------------------------------------------------------------------

def read_log(directory, known=0):
    """Reads and checks all segments of the directory; returns the Head.

    known: the highest sequence that a checkpoint or a pinned head has seen; a log that ends before
    it has lost acknowledged events.
    """
    directory = pathlib.Path(directory)
    if not directory.is_dir():
        raise ReaderError(f"{directory}: no such directory; name a catalog's events directory")
    names = sorted(path.name for path in directory.iterdir() if SEGMENT_NAME.fullmatch(path.name))
    head = Head()
    for index, name in enumerate(names):
        is_last = index == len(names) - 1
        if int(name[:20]) != head.sequence + 1:
            raise Damage(name, 0, f"the name says sequence {int(name[:20])}, "
                         f"due is {head.sequence + 1}: a segment is missing or misnamed")
        with open(directory / name, "rb") as file:
            size = file.seek(0, 2)
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) if size else b""
            if data[:4] == struct.pack("<I", SEAL_MAGIC):
                read_sealed(name, data, head)
            else:
                read_open(name, data, head, is_last, known)
    if head.sequence < known:
        raise Damage(names[-1] if names else str(directory), 0,
                     f"the log ends at sequence {head.sequence}, but {known} was acknowledged")
    return head


class Parser(argparse.ArgumentParser):
    def error(self, message):
        self.print_usage(sys.stderr)
        self.exit(64, f"logreader: {message}\n")


def main():
    parser = Parser(description="Checks an event log and prints its head as JSON.")
    parser.add_argument("events", metavar="EVENTS_DIR", help="directory of the segments")
    parser.add_argument("--known", type=int, default=0, metavar="SEQUENCE",
                        help="the highest sequence that a checkpoint or a pinned head has seen")
    options = parser.parse_args()
    try:
        head = read_log(options.events, options.known)
    except Damage as damage:
        print(f"logreader: damage: {damage}. Nothing after this place can be trusted; restore the "
              "file from a copy, or salvage into a new log", file=sys.stderr)
        return 3
    except (ReaderError, OSError) as error:
        print(f"logreader: {error}", file=sys.stderr)
        return 1
    print(json.dumps(head.as_json(), separators=(",", ":")))
    return 0


if __name__ == "__main__":
    sys.exit(main())
