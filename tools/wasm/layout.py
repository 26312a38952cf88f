#!/usr/bin/env python3
"""Prints the structs and constants of the client library's header as JSON, for the WebAssembly module.

usage: layout.py CLANG HEADER
{"structs": {NAME: {"size": BYTES, "fields": {FIELD: [PLACE, TYPE, COUNT]}}}, "constants": {NAME: NUMBER}}
TYPE is u8, i32, u32, u16, i64, u64, f32, bool, char, pointer, or the name of a struct.
"""
import json
import re
import subprocess
import sys

TYPES = {"uint8_t": "u8", "uint16_t": "u16", "uint32_t": "u32", "size_t": "u32", "int32_t": "i32",
         "int64_t": "i64", "uint64_t": "u64", "float": "f32", "bool": "bool", "_Bool": "bool", "char": "char"}


def names_by_line(header):
    """The typedef of the struct that begins in each line: the name after its closing brace."""
    found, start = {}, 0
    for number, line in enumerate(header.splitlines(), 1):
        if re.match(r"(typedef )?struct\b.*\{", line):
            start = number
        closed = re.match(r"\} (\w+);", line)
        if closed and start:
            found[start] = closed.group(1)
            start = 0
    return found


def field(place, text):
    typed, name = text.rsplit(" ", 1)
    count = int((re.search(r"\[(\d+)\]", typed) or [0, "1"])[1])
    base = re.sub(r"\[\d+\]", "", typed)
    kind = "pointer" if "*" in base else TYPES.get(base, "i32" if base.startswith("enum") else base)
    return name, [place, kind, count]


def structs(dump, header, path):
    names, found, fields = names_by_line(header), {}, None
    enums = set(re.findall(r"^\} (\w+);", "\n".join(re.findall(r"^typedef enum \{.*?^\} \w+;", header, re.M | re.S)), re.M))
    enums.update(re.findall(r"^typedef enum \{[^\n]*\} (\w+);", header, re.M))
    for line in dump.splitlines():
        begin = re.match(r"\s*0 \| struct \(unnamed at (.*):(\d+):\d+\)$", line)
        part = re.match(r"\s*(\d+) \|   (\S.*)$", line)
        end = re.match(r"\s*\| \[sizeof=(\d+)", line)
        if line.startswith("***"):
            fields = None
        elif begin and begin.group(1) == path and int(begin.group(2)) in names:
            fields = {}
            name = names[int(begin.group(2))]
        elif part and fields is not None:
            key, value = field(int(part.group(1)), part.group(2))
            value[1] = "i32" if value[1] in enums else "pointer" if "(" in part.group(2) else value[1]
            fields[key] = value
        elif end and fields is not None:
            found[name] = {"size": int(end.group(1)), "fields": fields}
    return found


def constants(header):
    found = {}
    plain = re.sub(r"//[^\n]*|/\*.*?\*/", "", header, flags=re.S)
    for name, number in re.findall(r"^#define (CL_\w+)\s+(\d+)\b", plain, re.M):
        found[name] = int(number)
    for body in re.findall(r"\benum \{(.*?)\}", plain, re.S):
        number = 0
        for item in filter(None, (part.strip() for part in body.split(","))):
            name, _, value = (word.strip() for word in item.partition("="))
            number = int(value) if value else number
            found[name] = number
            number += 1
    return found


def main():
    clang, path = sys.argv[1:]
    with open(path, encoding="utf-8") as file:
        header = file.read()
    dump = subprocess.run([clang, "--target=wasm32-wasi", "-std=c17", "-fsyntax-only", "-Xclang",
                           "-fdump-record-layouts-complete", "-x", "c", path], check=True,
                          stdout=subprocess.PIPE, text=True).stdout
    print(json.dumps({"structs": structs(dump, header, path), "constants": constants(header)}, indent=1))


if __name__ == "__main__":
    main()
