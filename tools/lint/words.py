#!/usr/bin/env python3
"""Plain words: the habits of docs/style.md that a pattern can find, in comments, messages and pages.

usage: words.py [PATH ...]   (default: every source, script and page that git knows)
Prints file:line: words: what to write instead. `make lint` runs the same check.
"""
import pathlib
import re
import sys

import files

MAX_SENTENCE_WORDS = 40  # style.md asks for 25; a sentence beyond this is certainly two
HABITS = [  # (pattern, what to do instead)
    (r"(?:^|[.!?;:] )(?:Who|Whoever|Whose|That which|Those that|Those who) [a-z']+ (?!.*\?)", "start with a verb or a noun, not with a relative clause"),
    (r"(?:^|[.!?] )What (?!.*\?)[a-z']+ ", "start with a verb or a noun, not with 'what'"),
    (r"(?:^|[.!?] )Of (?!course)[a-z]+ ", "say it without starting with 'of'"),
    (r"\b(?:he|his|him|himself)\b", "name the edict, client or player ('it', 'its')"),
    (r"\b(?:is|are|was|were|be|been|being) told\b", "receives, is reported, is logged"),
    (r"\b(?:is|are|was|were|be|been|being) asked\b", "is called, queried or tested"),
    (r"\b(?:is|are|was|were) said\b", "is logged or reported"),
    (r"\b(?:asker|askers|the told)\b", "the caller, the receiver"),
    (r"\b(?:goes|go|went|going) on (?:with|as|to|until|in|at|by)\b", "continues"),
    (r"\bon (?:its|their|the) way\b", "along the path, between"),
    (r"\b(?:all|one|any|none) that (?:is|are|was|has|have) (?:there|left|told|asked)\b", "name the things"),
    (r"^(?:The same|As above|Likewise)\b[^.]{0,40}\.?$", "say what the function or field is"),
]
TEXTS = (".c", ".h", ".md", ".py", ".sh", ".lua")
WORDS_PAGE = ("docs/style.md", "tools/lint/words.py")  # quote the habits


def texts(paths):
    return [p for p in files.listed(*paths) if p.endswith(TEXTS) and p not in WORDS_PAGE]


def blocks_of_source(lines, mark):
    """(line number, text) of each comment: consecutive lines are one text; and of each message."""
    text, start = [], 0
    for number, line in enumerate(lines + [""], 1):
        whole = re.match(rf"\s*{mark}[/<!]*\s?(.*)", line)
        behind = None if whole else re.search(rf"(?<=[;,{{}})\s\\]){mark}[/<!]* (.*)", line)
        if whole and whole[1].strip() and not re.match(r"[\s|+#\-=_/\\<>^*0-9]+[|+\-=_]", whole[1]):
            start = start or number
            text.append(whole[1].strip())
        else:
            if text:
                yield start, " ".join(text)
            text, start = ([behind[1].strip()], number) if behind else ([], 0)
        if not whole:
            for message in re.findall(r'"((?:[^"\\]|\\.){25,})"', line):
                yield number, message


def blocks_of_page(lines):
    code = False
    for number, line in enumerate(lines, 1):
        if line.startswith("```"):
            code = not code
        elif not code and line.strip() and not line.startswith("    "):
            for cell in line.strip(" |").split("|") if line.lstrip().startswith("|") else [line]:
                yield number, re.sub(r"^[#\-*>\d. ]+|`[^`]*`", " ", cell).strip()


def check_text(path, number, text, fault):
    for pattern, instead in HABITS:
        found = re.search(pattern, text)
        if found:
            fault(path, number, "words", f"'{found[0].strip()}': {instead}")
    for sentence in re.split(r"(?<=[.!?:;])\s", text):
        words = len(re.findall(r"[A-Za-z']{2,}", sentence))
        if words > MAX_SENTENCE_WORDS:
            fault(path, number, "words", f"a sentence of {words} words: at most 25 read well")


def check_file(path, fault):
    lines = pathlib.Path(path).read_text(errors="replace").splitlines()
    mark = {".c": "//", ".h": "//", ".lua": "--"}.get(pathlib.PurePath(path).suffix, "#")
    for number, text in blocks_of_page(lines) if path.endswith(".md") else blocks_of_source(lines, mark):
        check_text(path, number, text, fault)


def main():
    count = 0

    def fault(path, number, rule, what):
        nonlocal count
        count += 1
        print(f"{path}:{number}: {rule}: {what}")

    for path in texts(sys.argv[1:]):
        check_file(path, fault)
    print(f"words: {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
