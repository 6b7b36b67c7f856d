"""Runs a tool of this folder's parent within the process of its tests, which takes a twentieth of the time of a start."""

import contextlib
import functools
import importlib.machinery
import importlib.util
import io
import pathlib
import subprocess
import sys

TOOLS = pathlib.Path(__file__).resolve().parent.parent
sys.path.insert(0, str(TOOLS))


@functools.cache
def load(name):
    """The module of a tool, whose name has no ending."""
    loader = importlib.machinery.SourceFileLoader(name.replace("-", "_"), str(TOOLS / name))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
    loader.exec_module(module)
    return module


def run(name, *arguments):
    """What a process of the tool with these arguments ends with and prints."""
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = load(name).main([str(argument) for argument in arguments])
    return subprocess.CompletedProcess([name, *arguments], status, output.getvalue(), errors.getvalue())


def start(name, *arguments):
    """The same of a process."""
    return subprocess.run([TOOLS / name, *arguments], capture_output=True, text=True)
