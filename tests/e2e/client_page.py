#!/usr/bin/env python3
"""Checks the code of docs/client.md against the headers of include/edict and the Python package.

usage: client_page.py [PAGE]     (from the repository's root; ends with `N passed, N failed`)

Each C block compiles as the body of a function. Each `CL_NAME` and `cl_name_t` in the text is declared.
Each Python block parses, and calls only what the package has.
"""
import ast
import pathlib
import re
import subprocess
import sys

PAGE = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else "docs/client.md")
HEADERS = [pathlib.Path("include/edict", name) for name in ("client.h", "types.h")]
PACKAGE = pathlib.Path("tools/python/edict/__init__.py")
# The rest of the reader's own program.
PRELUDE = """#include <edict/client.h>
int64_t clock_ms(void);
void show(const cl_event_t *event);
void draw(cl_t *cl);
void block(cl_transport_t *net, cl_input_t input, cl_event_t event, cl_err_t err);
void block(cl_transport_t *net, cl_input_t input, cl_event_t event, cl_err_t err) {
(void)net, (void)input, (void)event, (void)err;
"""


def compile_c(code):
    code = re.sub(r"^cl_err_t err;.*$", "", code, flags=re.M)  # declared by the prelude
    code = code.replace("cl_transport_t *net = ", "net = ")
    done = subprocess.run(["gcc", "-std=gnu17", "-Wall", "-Wextra", "-Werror", "-Iinclude", "-fsyntax-only", "-x", "c",
                           "-"], input=PRELUDE + code + "}\n", text=True, capture_output=True, check=False)
    return done.stderr


def check_python(code):
    known = {node.name for node in ast.walk(ast.parse(PACKAGE.read_text()))
             if isinstance(node, (ast.FunctionDef, ast.ClassDef))} | {"now_ms"}
    used = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Attribute)]
    unknown = [node.attr for node in used
               if isinstance(node.value, ast.Name) and node.value.id in ("client", "edict") and node.attr not in known]
    return f"unknown: {', '.join(unknown)}" if unknown else ""


def main():
    text = PAGE.read_text()
    declared = set(re.findall(r"\b(?:CL|cl)_\w+", "".join(path.read_text() for path in HEADERS)))
    faults, passed = [], 0
    for number, block in enumerate(re.finditer(r"```(c|python)\n(.*?)```", text, flags=re.S), 1):
        fault = (compile_c if block[1] == "c" else check_python)(block[2])
        faults += [f"block {number} ({block[1]}): {fault}"] if fault else []
        passed += not fault
    names = set(re.findall(r"\b(?:CL_[A-Z]\w+|cl_\w+_t)\b", text))
    faults += [f"{name} is not declared" for name in sorted(names - declared)]
    passed += len(names & declared)
    print("".join(f"FAIL {PAGE}: {fault}\n" for fault in faults) + f"{passed} passed, {len(faults)} failed")
    return 1 if faults or passed < 20 else 0


sys.exit(main())
