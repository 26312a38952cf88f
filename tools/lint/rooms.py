"""Circles between rooms: a room is a folder, and rooms that need each other's symbols are one room."""
import pathlib
import subprocess


def symbols(obj):
    """The symbols an object defines for others, and those it needs from others."""
    defined, needed = set(), set()
    for line in subprocess.run(["nm", "-P", obj], capture_output=True, text=True).stdout.splitlines():
        name, kind = line.split()[:2]
        if kind == "U":
            needed.add(name)
        elif kind.isupper():
            defined.add(name)
    return defined, needed


def graph(build, tops=("common", "server")):
    """{room: {other room: one symbol that it needs from there}}"""
    home, needs = {}, {}
    root = pathlib.Path(build, "obj")
    for top in tops:
        for obj in sorted(root.glob(f"{top}/*/**/*.o")):
            source = obj.relative_to(root).with_suffix(".c")
            if not source.exists():
                continue  # left over from a file that has moved
            room = str(source.parent)
            defined, needed = symbols(obj)
            home.update(dict.fromkeys(defined, room))
            needs.setdefault(room, set()).update(needed)
    edges = {}
    for room, wanted in needs.items():
        for name in sorted(wanted):
            other = home.get(name)
            if other and other != room:
                edges.setdefault(room, {}).setdefault(other, name)
    return edges


def reachable(edges, start):
    seen, open_rooms = set(), [start]
    while open_rooms:
        for other in edges.get(open_rooms.pop(), {}):
            if other not in seen:
                seen.add(other)
                open_rooms.append(other)
    return seen


def check_circles(build, fault):
    edges = graph(build)
    reach = {room: reachable(edges, room) for room in edges}
    for room, others in sorted(edges.items()):
        for other, name in sorted(others.items()):
            if room in reach.get(other, ()):
                fault(room, 1, "circle", f"needs {name} from {other}, which needs {room} again")
