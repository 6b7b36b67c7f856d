"""Lines of an event log for other tools: `zstd -dc` over its segments, or a file of JSON Lines."""

import decimal
import json
import pathlib
import shutil
import subprocess


class LinesError(Exception):
    """The lines cannot be read; the message says what and where."""


def event_lines(path):
    """Yields (place, line as bytes without its line feed), in order.

    path: a directory of segments, a segment (*.zst), or a file of JSON Lines. Nothing but the text
    of the events is looked at; Tools/logreader.py checks headers, CRCs and the chain.
    """
    path = pathlib.Path(path)
    if path.is_dir():
        segments = sorted(path.glob("[0-9]*.jsonl.zst"))
        if not segments and (path / "events").is_dir():
            raise LinesError(f"{path}: no segments here; did you mean {path / 'events'}?")
    elif path.name.endswith(".zst"):
        segments = [path]
    else:
        try:
            with open(path, "rb") as file:
                yield from _lines(file, str(path))
        except OSError as error:
            raise LinesError(f"{path}: {error.strerror}; name a directory of segments or a file of "
                             "JSON Lines")
        return
    if segments:
        yield from _decompressed(segments, path)


def _decompressed(segments, path):
    tool = shutil.which("zstd")
    if tool is None:
        raise LinesError("no `zstd` command on PATH; install the package zstd")
    process = subprocess.Popen(
        [tool, "-q", "-d", "-c", *map(str, segments)], stdout=subprocess.PIPE)
    done = False
    try:
        yield from _lines(process.stdout, str(path))
        done = True
    finally:
        if not done:
            process.kill()
        process.stdout.close()
        status = process.wait()
    if status != 0:
        raise LinesError(f"{path}: zstd ended with status {status}; "
                         "Tools/logreader.py says where the log is torn or damaged")


def _lines(file, name):
    for number, line in enumerate(file, 1):
        if not line.endswith(b"\n"):
            raise LinesError(f"{name}: line {number} has no end; the log is torn, recover it first")
        yield f"{name}: line {number}", line[:-1]


def parse_event(line):
    """A line's JSON; ValueError for bad JSON, a duplicate key, NaN or bad UTF-8."""
    return json.loads(line.decode("utf-8"), object_pairs_hook=_unique,
                      parse_constant=_refuse_constant, parse_float=_real)


def _real(text):
    """The number of a text with a fraction or an exponent: whole if it is one that no float is, unless a float is written so."""
    value = float(text)
    if not 2**53 <= abs(value) <= 2**63:
        return value
    exact = decimal.Decimal(text)
    if exact != exact.to_integral_value() or not -2**63 <= exact < 2**63 or exact in (int(value), decimal.Decimal(repr(value))):
        return value
    return int(exact)


def _unique(pairs):
    result = dict(pairs)
    if len(result) != len(pairs):
        keys = [key for key, _ in pairs]
        raise ValueError(f"duplicate key {next(key for key in keys if keys.count(key) > 1)!r}")
    return result


def _refuse_constant(name):
    raise ValueError(f"{name} is no JSON")
