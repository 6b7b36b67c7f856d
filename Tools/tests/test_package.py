import base64
import csv
import hashlib
import io
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile
import unittest
import zipfile

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))
import packagefiles  # noqa: E402

MOMENT = 1_795_925_546
FILES = {
    "bin/catalogctl": b"#!/bin/sh\necho 1.2.3\n",
    "bin/catalogctl-serve": b"#!/bin/sh\nexit 0\n",
    "share/man/man1/catalogctl.1.gz": packagefiles.compressed(b".Dd\n"),
    "share/doc/catalogctl/copyright": b"Copyright\n",
}


class PackageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.tree = self.made_tree("tree", FILES)

    def made_tree(self, name, contents):
        for path, data in contents.items():
            (self.folder / name / path).parent.mkdir(parents=True, exist_ok=True)
            (self.folder / name / path).write_bytes(data)
        return self.folder / name

    def assert_same_bytes(self, write, suffix):
        """The order in which files were made, their times and modes leave no trace."""
        other = self.made_tree("other", dict(reversed(FILES.items())))
        os.utime(other / "bin/catalogctl", (1, 1))
        (other / "bin/catalogctl").chmod(0o700)
        targets = [self.folder / f"{name}{suffix}" for name in ("first", "second")]
        for tree, target in zip((self.tree, other), targets):
            write(tree, target)
        self.assertEqual(targets[0].read_bytes(), targets[1].read_bytes())
        return targets[0]

    def test_a_tarball_has_one_folder_with_all_files(self):
        target = self.assert_same_bytes(
            lambda tree, target: packagefiles.write_tarball(tree, target, "top", MOMENT), "-x86_64.tar.xz")
        with tarfile.open(target) as tar:
            self.assertEqual(tar.getnames(), sorted(f"top/{path}" for path in FILES))
            self.assertEqual({entry.mtime for entry in tar}, {MOMENT})
            self.assertEqual({entry.name[4:]: entry.mode for entry in tar if entry.mode != 0o644},
                             {"bin/catalogctl": 0o755, "bin/catalogctl-serve": 0o755})
            self.assertEqual(tar.extractfile("top/bin/catalogctl").read(), FILES["bin/catalogctl"])

    def test_a_wheel_records_the_digest_of_each_file(self):
        tag = "py3-none-manylinux_2_35_x86_64"
        target = self.assert_same_bytes(
            lambda tree, target: packagefiles.write_wheel(tree, target, "1.2.3", tag, MOMENT), ".whl")
        with zipfile.ZipFile(target) as archive:
            self.assertIsNone(archive.testzip())
            rows = list(csv.reader(io.StringIO(archive.read("catalogctl-1.2.3.dist-info/RECORD").decode())))
            self.assertEqual([row[0] for row in rows], archive.namelist())
            for name, digest, size in rows[:-1]:
                data = archive.read(name)
                expected = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
                self.assertEqual((digest, size), (f"sha256={expected}", str(len(data))))
            self.assertEqual(rows[-1], ["catalogctl-1.2.3.dist-info/RECORD", "", ""])
            program = archive.getinfo("catalogctl-1.2.3.data/scripts/catalogctl")
            self.assertEqual(program.external_attr >> 16, 0o100755)
            self.assertIn("catalogctl-1.2.3.data/data/share/man/man1/catalogctl.1.gz", archive.namelist())
            self.assertIn(f"Tag: {tag}\n", archive.read("catalogctl-1.2.3.dist-info/WHEEL").decode())

    @unittest.skipUnless(shutil.which("dpkg-deb"), "dpkg-deb is not installed")
    def test_a_debian_package_has_its_files_below_usr(self):
        fields = {"Package": "catalogctl", "Version": "1.2.3", "Architecture": "all", "Maintainer": "A <a@example.org>", "Depends": ""}
        target = self.assert_same_bytes(
            lambda tree, target: packagefiles.write_debian(tree, target, fields, MOMENT), ".deb")

        def printed(*words):
            return subprocess.run(["dpkg-deb", *words], check=True, capture_output=True, text=True).stdout

        listed = [line.split() for line in printed("--contents", target).splitlines()]
        self.assertEqual(
            {words[-1][6:]: words[0] for words in listed if not words[-1].endswith("/")},
            {path: "-rwxr-xr-x" if path.startswith("bin/") else "-rw-r--r--" for path in FILES})
        self.assertEqual({words[1] for words in listed}, {"root/root"})
        self.assertEqual(printed("--field", target, "Version"), "1.2.3\n")
        self.assertNotIn("Depends", printed("--field", target))
        self.assertIn(f"{hashlib.md5(FILES['bin/catalogctl']).hexdigest()}  usr/bin/catalogctl\n",
                      printed("--info", target, "md5sums"))

    @unittest.skipUnless(shutil.which("readelf"), "readelf is not installed")
    def test_the_glibc_of_a_program_is_the_newest_that_a_symbol_needs(self):
        self.assertGreaterEqual(packagefiles.needed_glibc([sys.executable, shutil.which("readelf")]), (2, 2))
