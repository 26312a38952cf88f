#!/usr/bin/env python3
"""Writes a large map for load tests: rooms and halls, one open hall, or rooms without exits.

usage: crowdmap.py city|hall|rooms [--size N] [-o FILE.map]

  city   N x N cells of 768 units (default 16). Rooms with baffles, linked by doorways, every third
         with a door; in each block of 4 x 4 cells, 2 x 2 are one hall. 1,024 spawn points, or one
         in each cell: --size 8 puts four times as many players into a room.
  hall   one open hall for 1,024 players; --size: its side in spawn points (default 32)
  rooms  N rooms without exits (default 4), 64 spawn points each
"""
import argparse
import sys

CELL = 768     # side of a cell, from middle to middle of its walls
WALL = 32      # thickness of walls, floor and ceiling
HEIGHT = 256   # of a room
DOOR = 160     # width of a doorway
LINTEL = 128   # height of a doorway


class Map:
    def __init__(self, message):
        self.brushes = []
        self.entities = []
        self.message = message

    def box(self, mins, maxs, texture="stone2", into=None):
        """Adds an axial brush to the world, or to the list `into`."""
        (x0, y0, z0), (x1, y1, z1) = mins, maxs
        planes = [((x0, y1, z1), (x1, y1, z1), (x1, y0, z1), "[ 1 0 0 0 ] [ 0 -1 0 0 ]"),
                  ((x0, y0, z0), (x1, y0, z0), (x1, y1, z0), "[ 1 0 0 0 ] [ 0 -1 0 0 ]"),
                  ((x0, y0, z1), (x1, y0, z1), (x1, y0, z0), "[ 1 0 0 0 ] [ 0 0 -1 0 ]"),
                  ((x1, y0, z1), (x1, y1, z1), (x1, y1, z0), "[ 0 1 0 0 ] [ 0 0 -1 0 ]"),
                  ((x1, y1, z1), (x0, y1, z1), (x0, y1, z0), "[ 1 0 0 0 ] [ 0 0 -1 0 ]"),
                  ((x0, y1, z1), (x0, y0, z1), (x0, y0, z0), "[ 0 1 0 0 ] [ 0 0 -1 0 ]")]
        lines = [" ".join("( %d %d %d )" % point for point in plane[:3]) +
                 " %s %s 0 1 1" % (texture, plane[3]) for plane in planes]
        (self.brushes if into is None else into).append("{\n%s\n}" % "\n".join(lines))

    def entity(self, classname, brushes=(), **keys):
        pairs = ['"%s" "%s"' % pair for pair in [("classname", classname), *keys.items()]]
        self.entities.append("{\n%s\n}" % "\n".join([*pairs, *brushes]))

    def shell(self, x0, y0, x1, y1, height):
        """Encloses a room whose walls stand outside of it."""
        w = WALL
        self.box((x0 - w, y0 - w, -w), (x1 + w, y1 + w, 0), "stone1")
        self.box((x0 - w, y0 - w, height), (x1 + w, y1 + w, height + w), "sky1")
        self.box((x0 - w, y0 - w, 0), (x0, y1 + w, height))
        self.box((x1, y0 - w, 0), (x1 + w, y1 + w, height))
        self.box((x0, y0 - w, 0), (x1, y0, height))
        self.box((x0, y1, 0), (x1, y1 + w, height))

    def spawns(self, x0, y0, columns, rows, pitch):
        for i in range(columns * rows):
            x, y = x0 + i % columns * pitch, y0 + i // columns * pitch
            self.entity("info_player_deathmatch", origin="%d %d 24" % (x, y),
                        angle=i * 90 % 360)

    def text(self):
        world = ['"mapversion" "220"', '"classname" "worldspawn"', '"message" "%s"' % self.message]
        return "// Game: edictd\n// Format: Valve\n// Written by tools/crowdmap.py.\n" + \
            "\n".join(["{", *world, *self.brushes, "}", *self.entities]) + "\n"


def is_hall(column, row):
    return column % 4 in (1, 2) and row % 4 in (1, 2)


def wall(out, column, row, is_east, number):
    """Adds the wall between a cell and its eastern or northern neighbour, with a doorway."""
    other = (column + 1, row) if is_east else (column, row + 1)
    if is_hall(column, row) and is_hall(*other) and other[0] // 4 == column // 4 and \
            other[1] // 4 == row // 4:
        return
    along = (row if is_east else column) * CELL          # first corner along the wall
    across = (column + 1 if is_east else row + 1) * CELL  # the wall's middle
    shift = (number * 5 % 7 - 3) * 48                    # doorways of a row are not in line
    left = along + CELL // 2 - DOOR // 2 + shift
    half = WALL // 2

    def slab(from_a, to_a, from_c, to_c, z0, z1, texture="stone2", into=None):
        a, b = (from_c, from_a, z0), (to_c, to_a, z1)
        if not is_east:
            a, b = (from_a, from_c, z0), (to_a, to_c, z1)
        out.box(a, b, texture, into)

    slab(along, left, across - half, across + half, 0, HEIGHT)
    slab(left + DOOR, along + CELL, across - half, across + half, 0, HEIGHT)
    slab(left, left + DOOR, across - half, across + half, LINTEL, HEIGHT)
    for side in (-1, 1):  # a baffle before the doorway, unless a hall is there
        cell = (column, row) if side < 0 else other
        if not is_hall(*cell):
            middle = across + side * 144
            slab(left - 64, left + DOOR + 64, middle - half, middle + half, 0, HEIGHT)
    if number % 3 == 0:
        door = []
        slab(left, left + DOOR, across - 8, across + 8, 0, LINTEL, "metal1", door)
        out.entity("func_door", door, angle=-1, speed=200, wait=2)


def city(size):
    out = Map("city: rooms and halls for a thousand players")
    side = size * CELL
    out.shell(0, 0, side, side, HEIGHT)
    columns = max(32 // size, 1)  # of the spawn points of a cell
    pitch = 216 // max(columns - 1, 1)
    number = 0
    for row in range(size):
        for column in range(size):
            for is_east in (True, False):
                if (column if is_east else row) < size - 1:
                    wall(out, column, row, is_east, number)
                number += 1
            x, y = column * CELL, row * CELL
            out.spawns(x + 272, y + 272, columns, columns, pitch)
            out.entity("light", origin="%d %d 200" % (x + 384, y + 384))
            out.entity("item_shells", origin="%d %d 8" % (x + 64, y + 64))
            out.entity("item_health", origin="%d %d 8" % (x + 672, y + 64))
    return out


def hall(size):
    out = Map("hall: everybody sees everybody")
    side = size * 112 + 64
    out.shell(0, 0, side, side, 512)
    out.spawns(88, 88, size, size, 112)
    return out


def rooms(size):
    out = Map("rooms: %d rooms without exits" % size)
    for i in range(size):
        x = i * 1280
        out.shell(x, 0, x + 1024, 1024, HEIGHT)
        out.spawns(x + 64, 64, 8, 8, 120)
        out.entity("light", origin="%d 512 200" % (x + 512))
    return out


def main():
    kinds = {"city": (city, 16), "hall": (hall, 32), "rooms": (rooms, 4)}
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kind", choices=kinds)
    parser.add_argument("--size", type=int)
    parser.add_argument("-o", "--output", default="-")
    args = parser.parse_args()
    make, size = kinds[args.kind]
    size = size if args.size is None else args.size
    if not 1 <= size <= 32:
        parser.error("--size: expected 1 to 32, found %d" % size)
    text = make(size)
    text.entities.insert(0, '{\n"classname" "info_player_start"\n"origin" "%s"\n}' %
                         ("272 272 24" if args.kind == "city" else "88 88 24"
                          if args.kind == "hall" else "64 64 24"))
    if args.output == "-":
        sys.stdout.write(text.text())
    else:
        with open(args.output, "w", encoding="utf-8") as file:
            file.write(text.text())


if __name__ == "__main__":
    main()
