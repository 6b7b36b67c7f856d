"""A loss of power: three disks, each an image that is mounted by a loop device."""

import fcntl
import os
import shutil
import struct
import subprocess
import time

from .catalogs import Ledger, agree, joined, read_again
from .crowd import Crowd
from .node import Node
from .promises import Skipped, require, wait_until
from .trio import NAMES, Trio, waits_for

# _IOR('X', 125, uint32_t) of ext4, and EXT4_GOING_FLAGS_NOLOGFLUSH: what is not on the disk, nor in its journal, is gone.
SHUTDOWN, WITHOUT_JOURNAL = 0x8004587D, 2
SIZE = 600 << 20


class Disk:
    """A file with a file system, and the folder in which it is mounted."""

    def __init__(self, folder, name):
        self.image, self.folder = folder / f"{name}.image", folder / f"{name}-disk"
        self.is_mounted = False

    def make(self):
        with open(self.image, "wb") as file:
            file.truncate(SIZE)
        self.folder.mkdir()
        made = subprocess.run(["mkfs.ext4", "-q", "-F", str(self.image)], capture_output=True, text=True)
        if made.returncode != 0:
            raise Skipped(f"mkfs.ext4 ended with {made.returncode}: {made.stderr.strip()}")
        self.mount()
        shutil.chown(self.folder, "postgres", "postgres")

    def mount(self):
        done = subprocess.run(["mount", "-o", "loop", str(self.image), str(self.folder)], capture_output=True, text=True)
        if done.returncode != 0:
            raise Skipped(f"no image can be mounted: {done.stderr.strip()}")
        self.is_mounted = True

    def open(self):
        return os.open(self.folder, os.O_RDONLY)

    def probe(self):
        """Raises Skipped if the mounted file system is still the one without power.

        A process in a mount namespace of its own may keep it.
        """
        try:
            (self.folder / "data" / "PG_VERSION").read_bytes()
        except OSError as error:
            raise Skipped(f"a different mount namespace keeps the disk without power: {error}") from None

    def unmount(self):
        def is_done():
            done = subprocess.run(["umount", str(self.folder)], capture_output=True, text=True)
            return done.returncode == 0
        if self.is_mounted:
            wait_until(is_done, 30, f"{self.folder} cannot be unmounted")
            self.is_mounted = False

    end = unmount


def power(run):
    """Power is cut for all three disks at once."""
    if os.geteuid() != 0:
        raise Skipped("only root mounts images")
    for name in ("mkfs.ext4", "mount"):
        if not shutil.which(name):
            raise Skipped(f"there is no {name}")
    disks, nodes = [], []
    for name in NAMES:
        disk = run.adopt(Disk(run.folder, name))
        disk.make()
        disks.append(disk)
        node = Node(name, run.folder / name, {"synchronous_standby_names": waits_for(name)})
        node.data = disk.folder / "data"
        nodes.append(node)
    trio = run.adopt(Trio(run.folder, nodes=nodes))
    trio.make()
    address = trio.address("power")
    catalogs = joined(run.program, run.folder, address, 3)
    ledger = Ledger()
    rounds = 5 if run.long else 2
    made = 0
    for number in range(1, rounds + 1):
        crowd = run.crowd(Crowd(catalogs, ledger, 4, None, run.dice.getrandbits(30), label=f"edit {number}.")).start()
        wait_until(lambda: crowd.made >= 6 or crowd.failure, 120, "programs append nothing")
        time.sleep(run.dice.uniform(0, 2))
        cut(disks)
        for node in nodes:
            node.kill()
        for disk in disks:
            disk.unmount()
            disk.mount()
            disk.probe()
        for node in nodes:
            node.start()
        trio.await_standbys()
        before = crowd.made
        wait_until(lambda: crowd.made >= before + 2 or crowd.failure, 200, "programs append nothing after the loss of power")
        crowd.finish()
        made += crowd.made
        run.note(crowd)
        count = ledger.compare(run.program, trio.address("power", [trio.primary]), f"power {number}")
        agree(run.program, catalogs, address, f"power {number}")
        for node in nodes:
            run.program.must("check", "--events", trio.address("power", [node]))
    read_again(run, trio.primary, trio.address("power", [trio.primary]), "power")
    return f"{rounds} losses of power of three disks at once, {made} edits acknowledged, 0 lost, {count} in the log once; 3 equal receipts"


def cut(disks):
    """Shuts all file systems down at once: nothing more is written to any."""
    opened = [disk.open() for disk in disks]
    try:
        for file in opened:
            try:
                fcntl.ioctl(file, SHUTDOWN, struct.pack("I", WITHOUT_JOURNAL))
            except OSError as error:
                raise Skipped(f"the file system does not know a loss of power: {error}") from None
    finally:
        for file in opened:
            os.close(file)
    probe = disks[0].folder / "data" / "probe"
    try:
        probe.write_text("probe")
    except OSError:
        return
    require(False, "a file was written after the loss of power")
