#!/usr/bin/env python3
"""Totals of the house: a table of lines and words, which `make lint` prints. Run from the root."""
import functools
import os.path
import pathlib
import re
import statistics

from files import listed

ROOMS = ["common/base", "common/math", "common/state", "common/net", "common/collide", "common/move",
         "common/proto", "common/bsp", "common/model", "common/client", "server", "tools"]


def lines_of(paths):
    return sum(pathlib.Path(p).read_bytes().count(b"\n") for p in paths)


@functools.cache
def resolve(include, folder):
    for root in (folder, "common", "server", "tools"):
        if os.path.exists(os.path.join(root, include)):
            return os.path.join(root, include)
    return None


@functools.cache
def included(path):
    """The project headers that a source includes directly."""
    names = re.findall(r'^\s*#\s*include "([^"]+)"', pathlib.Path(path).read_text(), re.M)
    found = (resolve(name, os.path.dirname(path)) for name in names)
    return {path for path in found if path}


@functools.cache
def own_headers(path):
    """All project headers that a source includes, directly or not."""
    seen, todo = set(), [path]
    while todo:
        new = included(todo.pop()) - seen
        seen |= new
        todo += new
    return seen


def table():
    product = listed("common/*.[ch]", "server/*.[ch]", "tools/*.[ch]")
    pages = listed("*.md")
    rows = [(f"{room}/", lines_of([p for p in product if p.startswith(room + "/")]), "lines") for room in ROOMS]
    rows += [
        ("product, .c and .h", lines_of(product), "lines"),
        ("tests, .c and .h", lines_of(listed("tests/*.[ch]")), "lines"),
        ("own headers behind a .c of server/, median",
         int(statistics.median(lines_of(own_headers(p)) for p in product if p.startswith("server/") and p.endswith(".c"))),
         "lines"),
        ("markdown", sum(len(pathlib.Path(p).read_text().split()) for p in pages), "words"),
    ]
    return rows


def print_table():
    for name, count, unit in table():
        print(f"{name:44} {count:7,} {unit}")


if __name__ == "__main__":
    print_table()
