"""Reads the releases of CHANGELOG.md."""
import re

HEADING = re.compile(r"^## (\d+\.\d+\.\d+) – (\d{4}-\d\d-\d\d)$", re.M)


def newest(changelog):
    """The version and the day of the newest dated release in the text of a changelog."""
    found = HEADING.search(changelog)
    if not found:
        raise ValueError("CHANGELOG.md has no heading like `## 1.2.3 – 2026-01-31`")
    return found[1], found[2]
