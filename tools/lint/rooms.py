"""Circles between rooms: a room is a folder, and rooms that need each other's symbols are one room."""
import pathlib
import subprocess


def symbols(objects):
    """{object: (the symbols that it defines for others, those that it needs from others)}"""
    found = {obj: (set(), set()) for obj in objects}
    listing = subprocess.run(["nm", "-A", "-P", *objects], capture_output=True, text=True).stdout
    for line in listing.splitlines():
        obj, name, kind = line.split()[:3]
        if kind == "U" or kind.isupper():
            found[obj.rstrip(":")][kind == "U"].add(name)
    return found


def graph(build, tops=("common", "server")):
    """{room: {other room: one symbol that it needs from there}}"""
    home, needs = {}, {}
    root = pathlib.Path(build, "obj")
    rooms = {}
    for top in tops:
        for obj in sorted(root.glob(f"{top}/*/**/*.o")):
            source = obj.relative_to(root).with_suffix(".c")
            if source.exists():  # else left over from a file that has moved
                rooms[str(obj)] = str(source.parent)
    for obj, (defined, needed) in symbols(rooms).items() if rooms else ():
        home.update(dict.fromkeys(defined, rooms[obj]))
        needs.setdefault(rooms[obj], set()).update(needed)
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
