#!/usr/bin/env python3
"""Prints the libraries that a target reaches in more than a third of its sources though its precompiled header lacks
them, by cmake/compiled.txt; fails when there is one.

    tests/system/precompiled.py TREE [--all]

A library that a single source reaches gains nothing there. --all prints every library of every target.
"""
import pathlib
import re
import sys

# Headers that take long, by the name that compiled.txt has for their library.
LIBRARIES = {"eigen": r"Eigen/.*", "json": r"nlohmann/json\.hpp", "imgui": r"imgui.*\.h", "cli11": r"CLI/.*",
             "toml": r"toml\+\+/.*|toml\.hpp", "boost": r"boost/.*", "test": r"catch2/.*", "rapidcheck": r"rapidcheck.*",
             "glfw": r"GLFW/.*", "benchmark": r"benchmark/.*"}


def rows(tree):
    return [line.split() for line in (tree / "cmake/compiled.txt").read_text().splitlines() if line and line[0] != "#"]


def read(tree):
    """By file: the files of ours that it includes, and the libraries."""
    files = {}
    for folder in ("core", "experiments", "app", "tests"):
        for path in (tree / folder).rglob("*"):
            if path.suffix not in (".h", ".cpp", ".inc"):
                continue
            text = path.read_text()
            angled = re.findall(r'^#include <(.+?)>', text, re.M)
            files[str(path.relative_to(tree))] = (
                re.findall(r'^#include "(.+?)"', text, re.M),
                {name for name, headers in LIBRARIES.items() if any(re.fullmatch(headers, each) for each in angled)})
    return files


def reached(files, source):
    seen, rest, libraries = {source}, [source], set()
    while rest:
        ours, theirs = files.get(rest.pop(), ((), set()))
        libraries |= theirs
        for path in ours:
            if path not in seen:
                seen.add(path)
                rest.append(path)
    return libraries


def main():
    tree = pathlib.Path(sys.argv[1])
    files = read(tree)
    named = rows(tree)
    sources = {row[0]: [] for row in named}
    for path in sorted(files):
        owners = [row[0] for row in named if path.endswith(".cpp") and path.startswith(row[0] + "/")]
        if owners:  # the innermost folder
            sources[max(owners, key=len)].append(path)
    broken = False
    for target, libraries, *_ in named:
        found = [reached(files, path) for path in sources[target]]
        for name in LIBRARIES:
            count = sum(name in each for each in found)
            lacks = count > 1 and 3 * count > len(found) and name not in libraries.split("+")
            if lacks or len(sys.argv) > 2 and count:
                broken = broken or lacks
                print(f"{target}: {count} of {len(found)} sources reach {name}, which its precompiled header "
                      f"{'lacks' if lacks else 'has' if name in libraries.split('+') else 'may lack'}")
    sys.exit(1 if broken else 0)


main()
