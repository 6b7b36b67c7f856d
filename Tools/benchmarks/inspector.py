"""The pages of the inspector: how long each takes while somebody drags the handle, and the memory of the server.

With 300,000 items the log has a million events: seven revisions that change 15 items in a hundred each. A run asks for each page at 20
moments; its figure is the 95th percentile, of pages that are made and sent whole. A copy of it has 20,000 edits more, for curves with as many
moments.
"""

import json
import os
import pathlib
import random
import shutil
import subprocess
import time
import urllib.parse
import urllib.request

from benchmarks.past import catalog
from benchmarks.setting import Row

MOMENTS = 20
REVISIONS, CHANGE = 7, 15
PAGES = {
    "a count": ("sql", "SELECT count(*) FROM library_item", 100),
    "a group over one table": ("sql", "SELECT kind, count(*) FROM library_item GROUP BY kind", None),
    "the tables and their rows": ("truth", None, 100),
    "the rows of a vocabulary": ("row", "mood", 100),
    "a count over the log": ("answer", "SELECT count(*) FROM library_item", 100),
    "a predicate over the log": ("answer", "SELECT count(*) > 1000 FROM item_mood", 500),
    "the newest events": ("events", None, None),
}
# Over a log with 20,000 batches more, each of which changes the rows that are counted.
CURVES = {
    "a count with a condition": ("SELECT count(*) FROM item_mood WHERE mood_id > 10", 500),
    "a predicate on one table": ("SELECT count(*) % 2 = 0 FROM item_mood WHERE item_id = '{item}'", 500),
}
EDITED, EDITS = 30, 500


def rows(setting):
    path = catalog(setting, REVISIONS, CHANGE)
    setting.run([setting.program, "history", "make", "--catalog", path])
    program = setting.server
    first, memory = [], []
    pages = {name: [] for name in PAGES}
    for run in range(setting.runs):
        server = subprocess.Popen([program, "--catalog", path], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            browser = Browser(server.stdout.readline().strip())
            first.append(browser.milliseconds(""))
            dice = random.Random(run)
            for name, page in PAGES.items():
                pages[name].append(browser.repaint(dice, *page[:2]))
            status = pathlib.Path(f"/proc/{server.pid}/status").read_text()
            memory.append(int(status.partition("VmHWM:")[2].split()[0]) / 1024)
        finally:
            server.terminate()
            server.wait()
    yield Row("first page of the inspector", first, unit="ms")
    for name, (_, _, limit) in PAGES.items():
        yield Row(f"page of the inspector while dragging, {name}", pages[name], at_most=limit, unit="ms")
    yield Row("memory of the inspector", memory, unit="MiB")
    yield from curves(setting, path)


def edited(setting, path):
    """A copy of a catalog with 20,000 batches more. Returns it with an item that they changed."""
    copy = f"{path}-edited"
    listed = json.loads(setting.run([setting.program, "items", "sfx", "--limit", str(EDITED), "--format", "json",
                                     "--catalog", path], stdout=subprocess.PIPE))["items"]
    items = [item["id"] for item in listed]
    if not os.path.exists(copy):
        setting.note("making 20,000 edits …")
        shutil.rmtree(copy + ".new", ignore_errors=True)
        shutil.copytree(path, copy + ".new")
        for item in items:
            setting.run([setting.embedder, "edit", copy + ".new", "--item", item, "--name", "Moment", "--count", str(EDITS)])
        setting.run([setting.program, "history", "make", "--catalog", copy + ".new"])
        os.rename(copy + ".new", copy)
    return copy, items[0]


def curves(setting, path):
    copy, item = edited(setting, path)
    found = {name: [] for name in CURVES}
    for _ in range(setting.runs):
        server = subprocess.Popen(
            [setting.server, "--catalog", copy], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        try:
            browser = Browser(server.stdout.readline().strip())
            browser.milliseconds("")
            for name, (sql, _) in CURVES.items():
                question = urllib.parse.quote(sql.format(item=item))
                found[name].append(browser.milliseconds(f"answer?sql={question}"))
        finally:
            server.terminate()
            server.wait()
    for name, (_, limit) in CURVES.items():
        yield Row(f"a curve over 20,000 moments, {name}", found[name], at_most=limit, unit="ms")


class Browser:
    """Asks as a browser does, with the cookie that the first answer sets."""

    def __init__(self, address):
        self.address = address
        self.root = address.partition("/?")[0]
        self.opener = urllib.request.build_opener(
            urllib.request.HTTPCookieProcessor(), urllib.request.ProxyHandler({}))
        self.opener.open(self.root + "/script.js?" + address.partition("?")[2]).read()

    def milliseconds(self, path):
        begin = time.monotonic()
        self.opener.open(f"{self.root}/{path}").read()
        return (time.monotonic() - begin) * 1_000

    def repaint(self, dice, view, what):
        head = json.loads(self.opener.open(self.root + "/live").read())["head"]
        own = {"row": "table"}.get(view, "sql")
        question = f"&{own}={urllib.parse.quote(what)}" if what else ""
        times = sorted(
            self.milliseconds(f"{view}?at={dice.randint(head // 3, head)}{question}") for _ in range(MOMENTS))
        return times[MOMENTS * 95 // 100 - 1]
