"""How long a command takes from the shell, against `sqlite3 -version`, which does nothing either."""

from benchmarks.setting import Row

STARTS = 20


def rows(setting):
    catalog = setting.catalog()
    heads, versions = [], []
    for _ in range(setting.runs):
        versions.append(middle(setting, ["sqlite3", "-version"]))
        heads.append(middle(setting, [setting.program, "head", "--catalog", catalog]))
    yield Row("`catalogctl head`, in `sqlite3 -version`",
              [head / version for head, version in zip(heads, versions)], at_most=4)
    large = setting.catalog(setting.large or setting.items)
    pages, heads = [], []
    for _ in range(setting.runs):
        heads.append(middle(setting, [setting.program, "head", "--catalog", large]))
        pages.append(middle(setting, [setting.program, "items", "sfx", "--limit", "20",
                                      "--catalog", large]))
    yield Row(f"`catalogctl items sfx --limit 20` beyond `head`, {setting.large or setting.items:,} items",
              [(page - head) * 1_000 for page, head in zip(pages, heads)], at_most=50, unit="ms")


def middle(setting, arguments):
    """The median of some starts, in seconds."""
    times = sorted(setting.timed(arguments).wall for _ in range(STARTS))
    return times[STARTS // 2]
