"""An archive of concerts of the real one's shape (`Tools/make-concert-archive`): 2,300 shows, 17,600 recordings."""

import os

from benchmarks import kinds
from benchmarks.setting import ROOT


def rows(setting):
    package = setting.path("concerts")
    if not os.path.exists(package):
        setting.run([str(ROOT / "Tools" / "make-concert-archive"), package])
    yield from kinds.rows(
        setting, "concert-archive", "2,300 shows and 17,600 recordings", ["shows", "import"], package,
        [["shows", "search", "5-8-77"], ["shows", "list", "--on", "05-08"]])
