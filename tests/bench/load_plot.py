#!/usr/bin/env python3
"""Draws the figure of docs/performance.md from the CSV of load.py.

usage: make -s bench-load | tests/bench/load_plot.py >docs/load.svg
"""
import re
import sys

WIDTH, HEIGHT, LEFT, TOP, GAP = 230, 150, 46, 44, 34
PANELS = [("tick, ms", (("tick p50", "p50"), ("tick p99", "p99"), ("tick max", "max")), 16),
          ("CPU, % of one core", (("CPU", ""),), 100),
          ("sent to each client, kB/s", (("clients: received", ""),), None)]
COLOURS = ["#2f6f9f", "#d08a2e", "#b9c4cc"]


def read(lines):
    """Returns {clients: {name: value}} of the cases of the city."""
    cases = {}
    for line in lines:
        found = re.match(r"load,city (\d+) ([^,]*),([^,]*),([^,]*)", line)
        if found:
            value = float(found.group(3)) / (1000 if found.group(4).startswith("B/s") else 1)
            cases.setdefault(int(found.group(1)), {})[found.group(2)] = value
    return dict(sorted(cases.items()))


def text(x, y, words, **style):
    extra = "".join(f' {key.replace("_", "-")}="{value}"' for key, value in style.items())
    return f'<text x="{x:.0f}" y="{y:.0f}"{extra}>{words}</text>'


def panel(left, title, rows, limit, cases):
    """Returns the SVG of one panel: bars in groups, a group for each number of clients."""
    top = max([limit or 0] + [case.get(name, 0.0) for case in cases.values() for name, _ in rows]) * 1.08 or 1.0
    floor = TOP + HEIGHT
    out = [text(left, TOP - 26, title, font_weight="bold"),
           f'<path d="M{left} {TOP}V{floor}H{left + WIDTH}" fill="none" stroke="#667"/>']
    for i, (_, label) in enumerate(rows):
        if label:
            out.append(f'<rect x="{left + 48 * i}" y="{TOP - 19}" width="9" height="9" fill="{COLOURS[i]}"/>')
            out.append(text(left + 48 * i + 13, TOP - 11, label))
    if limit:
        y = floor - HEIGHT * limit / top
        out.append(f'<path d="M{left} {y:.1f}h{WIDTH}" stroke="#b03030" stroke-dasharray="4 3"/>')
        out.append(text(left - 5, y + 4, limit, text_anchor="end", fill="#b03030"))
    group = WIDTH / max(1, len(cases))
    for g, (clients, case) in enumerate(cases.items()):
        bar = group * 0.8 / len(rows)
        for i, (name, _) in enumerate(rows):
            value = case.get(name, 0.0)
            x, high = left + group * (g + 0.1) + bar * i, HEIGHT * value / top
            out.append(f'<rect x="{x:.1f}" y="{floor - high:.1f}" width="{bar - 1:.1f}" height="{high:.1f}" '
                       f'fill="{COLOURS[i]}"/>')
            out.append(text(x + bar / 2, floor - high - 3, f"{value:.3g}", text_anchor="middle", font_size=9))
        out.append(text(left + group * (g + 0.5), floor + 15, clients, text_anchor="middle"))
    return out


def main():
    cases = read(sys.stdin)
    if not cases:
        sys.exit("load_plot.py: expected lines of load.py with city cases on standard input")
    wide = LEFT + len(PANELS) * (WIDTH + GAP)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {wide} {TOP + HEIGHT + 40}" '
           'font-family="sans-serif" font-size="11" fill="#223">',
           '<rect width="100%" height="100%" fill="#fff"/>']
    for i, (title, rows, limit) in enumerate(PANELS):
        out += panel(LEFT + i * (WIDTH + GAP), title, rows, limit, cases)
    out.append(text(LEFT + wide / 2 - LEFT, TOP + HEIGHT + 32, "clients", text_anchor="middle"))
    print("\n".join(out + ["</svg>"]))


main()
