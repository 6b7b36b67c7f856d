"""Writes one tree of files as a tarball, a Debian package and a Python wheel. The same tree and moment give the same bytes."""
import base64
import csv
import gzip
import hashlib
import io
import lzma
import os
import pathlib
import re
import subprocess
import tarfile
import tempfile
import time
import zipfile

SUMMARY = "event-sourced catalogs that explain themselves"
DESCRIPTION = [
    "catalogctl keeps catalogs in an append-only log of events, and a SQLite database that it rebuilds from the log with the same rows. "
    "It shows which event wrote a value, what the rows were at any moment, and which batch changed the answer of a query.",
    "catalogctl serve shows the same in a browser.",
]
NAME = "catalogctl"


def files(tree):
    """The files of a folder, sorted, each as its path in the folder and its place."""
    found = [path for path in pathlib.Path(tree).rglob("*") if path.is_file()]
    return sorted((str(path.relative_to(tree)), path) for path in found)


def is_program(path):
    return path.startswith("bin/")


def compressed(data):
    """Bytes as gzip writes them, without a name and a time."""
    return gzip.compress(data, 9, mtime=0)


def write_tarball(tree, target, top, moment):
    """Writes a .tar.xz with one folder. The two programs have much in common, which a dictionary larger than the first one finds."""
    filters = [{"id": lzma.FILTER_X86}, {"id": lzma.FILTER_LZMA2, "preset": 6, "dict_size": 128 << 20}]
    if not target.name.endswith("x86_64.tar.xz"):
        filters = filters[1:]
    with lzma.open(target, "wb", filters=filters) as file, tarfile.open(fileobj=file, mode="w|", format=tarfile.GNU_FORMAT) as tar:
        for path, place in files(tree):
            entry = tarfile.TarInfo(f"{top}/{path}")
            entry.size, entry.mtime, entry.mode = place.stat().st_size, moment, 0o755 if is_program(path) else 0o644
            entry.uname = entry.gname = "root"
            with open(place, "rb") as data:
                tar.addfile(entry, data)


def write_debian(tree, target, fields, moment):
    """Writes a .deb, whose files are those of the tree below /usr."""
    with tempfile.TemporaryDirectory() as name:
        root = pathlib.Path(name) / "root"
        control = root / "DEBIAN"
        control.mkdir(parents=True)
        sums, size = "", 0
        for path, place in files(tree):
            copy = root / "usr" / path
            copy.parent.mkdir(parents=True, exist_ok=True)
            data = place.read_bytes()
            copy.write_bytes(data)
            copy.chmod(0o755 if is_program(path) else 0o644)
            sums += f"{hashlib.md5(data, usedforsecurity=False).hexdigest()}  usr/{path}\n"
            size += -(-len(data) // 1024)
        (control / "md5sums").write_text(sums)
        (control / "control").write_text(control_text({**fields, "Installed-Size": str(size)}))
        for folder in [root, *(path for path in root.rglob("*") if path.is_dir())]:
            folder.chmod(0o755)
        # With more threads the compressed bytes are others.
        environment = {**os.environ, "SOURCE_DATE_EPOCH": str(moment), "DPKG_DEB_THREADS_MAX": "1"}
        subprocess.run(
            ["dpkg-deb", "--root-owner-group", "-Zxz", "-z9", "--build", root, target], check=True, stdout=subprocess.DEVNULL, env=environment)


def control_text(fields):
    """The control file of a Debian package. The description has one line for each paragraph, which readers wrap."""
    lines = [f"{name}: {value}" for name, value in fields.items() if value]
    lines.append(f"Description: {SUMMARY}")
    lines += "\n .\n".join(wrapped(paragraph) for paragraph in DESCRIPTION).split("\n")
    return "\n".join(lines) + "\n"


def wrapped(paragraph, width=78):
    lines, line = [], ""
    for word in paragraph.split():
        if line and len(line) + 1 + len(word) > width:
            lines.append(line)
            line = ""
        line += " " + word
    return "\n".join([*lines, line])


def debian_dependencies(programs):
    """What the programs need, as `dpkg-shlibdeps` reads it from their symbols."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "debian").mkdir()
        (folder / "debian/control").write_text(f"Source: {NAME}\n\nPackage: {NAME}\nArchitecture: any\n")
        found = subprocess.run(
            ["dpkg-shlibdeps", "-O", *(f"-e{pathlib.Path(program).resolve()}" for program in programs)],
            check=True, capture_output=True, text=True, cwd=folder).stdout
    return re.search(r"^shlibs:Depends=(.*)$", found, re.M)[1]


def needed_glibc(programs):
    """The oldest version of the C library that has all symbols of the programs, as a pair of numbers."""
    found = set()
    for program in programs:
        text = subprocess.run(["readelf", "-W", "--version-info", program], check=True, capture_output=True, text=True).stdout
        found |= {(int(major), int(minor)) for major, minor in re.findall(r"\bGLIBC_(\d+)\.(\d+)", text)}
    return max(found)


def write_wheel(tree, target, version, tag, moment):
    """Writes a .whl: pip puts the programs where it puts scripts, and everything else below the same prefix."""
    data, info = f"{NAME}-{version}.data", f"{NAME}-{version}.dist-info"
    metadata = [
        "Metadata-Version: 2.1", f"Name: {NAME}", f"Version: {version}", f"Summary: {SUMMARY}", "Requires-Python: >=3.7",
        "Description-Content-Type: text/plain", "", *"\n\n".join(DESCRIPTION).split("\n"),
    ]
    wheel = ["Wheel-Version: 1.0", "Generator: Tools/package", "Root-Is-Purelib: false", f"Tag: {tag}"]
    entries = []
    for path, place in files(tree):
        inside = f"{data}/scripts/{path[4:]}" if is_program(path) else f"{data}/data/{path}"
        entries.append((inside, place.read_bytes(), 0o755 if is_program(path) else 0o644))
    entries.append((f"{info}/METADATA", ("\n".join(metadata) + "\n").encode(), 0o644))
    entries.append((f"{info}/WHEEL", ("\n".join(wheel) + "\n").encode(), 0o644))
    record = io.StringIO()
    rows = csv.writer(record, lineterminator="\n")
    for inside, content, _ in entries:
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        rows.writerow([inside, f"sha256={digest}", len(content)])
    rows.writerow([f"{info}/RECORD", "", ""])
    entries.append((f"{info}/RECORD", record.getvalue().encode(), 0o644))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for inside, content, mode in entries:
            # A zip file has no time before 1980.
            entry = zipfile.ZipInfo(inside, max(time.gmtime(moment)[:6], (1980, 1, 1, 0, 0, 0)))
            entry.compress_type, entry.external_attr, entry.create_system = zipfile.ZIP_DEFLATED, (0o100000 | mode) << 16, 3
            archive.writestr(entry, content)
