#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Attaches to a running program and prints its chains as a tree: a second implementation of the wire, written from
Sources/Observe/ChainWire/ChainWire.docc/TheWire.md alone.

    read_chains.py SOCKET            the state as it is now
    read_chains.py SOCKET --follow   what is known when the program ends
    read_chains.py --file CAPTURE    the same, from the bytes that a program sent
    read_chains.py --recording FILE [MOMENT]   a recording, at a moment of the program's clock or at its end;
                                     that part is written from TheRecording.md, beside the other page, and so is
                                     read_columns.py, which unpacks payloads
"""
import io
import socket
import struct
import sys

from read_columns import unpacked

MAGIC, VERSION, VIEWER_LIMIT = bytes.fromhex("636861696e76779e"), 1, 67108864
LINKS, COMBINATORS, CHAIN, RESOURCES = range(16, 27), (*range(48, 56), 64, 65), 80, range(96, 100)
KINDS = dict(zip((*range(1, 10), *LINKS, *range(48, 58), 64, 65, CHAIN, *RESOURCES), (
    "promise pending resolve reject work task callback span scope then map done catch recover failed anyway ignore "
    "asResult tap thenCallback all allSettled any race sequence forEach repeat retry attempt round timeout delay chain "
    "actor lock executor future")
    .split()))
WORDS = {1: "unknown", 2: "fulfilled", 3: "rejected", 4: "skipped", 5: "skipped", 6: "abandoned", 7: "cancelled"}
STEPS = ("ended", "pending"), ("started", "running"), ("queued", "queued")
FIELDS = ("parent creator adopted adopted_at created queued started ended settled seen cancel_at "
          "label canceller summary members member_times rename_count remote_parent switched").split()


class Payload:
    """Bytes from which fields are read one after another."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, layout):
        values = struct.unpack_from("<" + layout, self.data, self.at)
        self.at += struct.calcsize("<" + layout)
        return values

    def text(self):
        return b"".join(self.take("%dc" % self.take("I"))).decode("utf-8", "replace")


class Node:
    def __init__(self, number, time):
        self.id, self.created, self.knows_created = number, time, False
        self.reported_in = 0  # the generation of the latest report; 0 if only other nodes refer to it
        self.parent = self.creator = self.kind = self.site = self.settlement = 0
        self.label, self.renamed, self.steps, self.has_members = None, (0, ""), set(), False
        self.switch = 0, False  # of a task: when it ran or was suspended last, and whether that was a suspension
        self.has_parent = False  # it was made by an operation on another node
        self.is_separate = False  # a task that stays a root, although its creator is known
        self.held_by = {}  # nodes that follow it or have it as a member, and the earliest time

    def word(self):
        if self.settlement:
            return WORDS[self.settlement]
        if self.steps or not self.reported_in:
            return "pending" if self.switch[1] else next((word for step, word in STEPS if step in self.steps), "unknown")
        waits = self.kind in COMBINATORS or (self.kind in LINKS and not self.has_members)
        return "waiting" if self.kind == CHAIN or (self.has_parent and waits) else "pending"


class Forest:
    def __init__(self):
        self.nodes, self.sites, self.now, self.generation, self.epoch, self.is_synced = {}, {}, 0, 1, None, False

    def named(self, number, time, generation=0):
        node = self.nodes.setdefault(number, Node(number, time))
        node.created = node.created if node.knows_created else min(node.created, time)
        node.reported_in = generation or node.reported_in
        return node

    def make(self, node, time, named_at, kind, site, label, parent, creator, is_separate):
        if time:
            node.created, node.knows_created = min(node.created, time) if node.knows_created else time, True
        node.kind, node.site = node.kind or kind, node.site or site
        node.label = label if node.label is None else node.label  # shown unless it was renamed
        node.is_separate |= is_separate
        name, origin = ("parent", parent) if parent else ("creator", creator)
        if origin not in (0, node.id):
            node.has_parent |= name == "parent"  # also of a task that stays a root
        if origin not in (0, node.id) and not node.is_separate:
            self.named(origin, named_at or node.created)
            setattr(node, name, getattr(node, name) or origin)

    def link(self, holder, number, is_member, time):
        if number not in (0, holder.id):
            held_by = self.named(number, time).held_by
            held_by[holder.id] = min(time, held_by.get(holder.id, time))
            holder.has_members |= is_member

    def snapshot(self, payload):
        start = payload.at
        size, bits, number, site, _, _, kind, settlement, marks = payload.take("IIQIIHBBI")
        has = dict.fromkeys(FIELDS, 0) | {"label": None, "members": (), "member_times": ()}
        for bit, name in enumerate(FIELDS):
            if bits >> bit & 1:
                has[name] = (payload.take("Q")[0] if bit < 11 or bit in (16, 18) else payload.text() if bit < 14
                             else payload.take("2Q") if bit == 17 else payload.take("%dQ" % payload.take("I")))
        payload.at = start + size
        if number == 0:
            return
        first = has["created"] or min((has[name] for name in FIELDS[5:10] if has[name]), default=self.now)
        node = self.named(number, first, self.generation)
        self.make(node, has["created"], 0, kind, site, has["label"], has["parent"], has["creator"],
                  bool(marks & 262144))
        if has["label"] is not None:
            node.renamed = max(node.renamed, (has["rename_count"], has["label"]))
        node.steps |= {name for name, _ in STEPS if has[name]}
        self.switched(node, has["switched"], marks & 128)
        node.settlement = max(node.settlement, settlement if settlement in WORDS else min(settlement, 1))
        if marks & 64 and ("started" in node.steps or ("queued" in node.steps and not node.settlement)):
            node.steps.add("ended")
        self.link(node, has["adopted"], False, has["adopted_at"] or self.now)
        for member, time in zip(has["members"], has["member_times"] + (self.now,) * len(has["members"])):
            self.link(node, member, True, time)

    def switched(self, node, time, is_suspended):
        if time:
            node.steps.add("started")
            node.switch = max(node.switch, (time, bool(is_suspended)))

    def event(self, event, texts):
        time, number, other, site, text, _, detail, kind, flags = event
        if number == 0 or kind not in range(1, 28):
            return
        node = self.named(number, time, self.generation)
        settlement = {7: 2, 8: 3, 10: 7, 11: 5 if flags & 4 else 4, 12: 6, 15: 1}.get(kind, 0)
        node.settlement = max(node.settlement, settlement)
        self.named(other if kind == 19 else number, time, self.generation)
        if kind in (3, 4, 5) or (settlement > 1 and flags & 2):
            node.steps.add({3: "queued", 4: "started"}.get(kind, "ended"))
        if kind == 1:
            label = texts[text - 1] if 0 < text <= len(texts) else None
            origin = (other, 0) if flags & 1 else (0, other)
            self.make(node, 0 if flags & 32 else time, time, detail, site, label, *origin, bool(flags & 64))
        elif kind == 20 and (other or detail) and 0 < text <= len(texts):
            node.renamed = max(node.renamed, (other or detail, texts[text - 1]))
        elif kind in (22, 23):
            self.switched(node, time, kind == 23)
        elif kind in (2, 6):
            self.link(node, other, kind == 2, time)

    def batch(self, payload):
        _, _, time, _, _, _, _, resync, size, epoch = payload.take("7QIIQ")
        sites, threads, executors, texts, nodes, events = payload.take("6I")
        self.now = max(self.now, time)
        for _ in range(sites):
            number, line = payload.take("II")
            self.sites[number] = (payload.text(), line)
        for _ in range(threads + executors):
            payload.take("I"), payload.text()
        texts = [payload.text() for _ in range(texts)]
        for _ in range(nodes):
            self.snapshot(payload)
        for _ in range(events):
            self.event(payload.take("QQQIIIHBB"), texts)
            payload.at += size - 40
        if resync == 1:
            self.generation, self.epoch = self.generation + 1, epoch
        elif resync == 2 and self.epoch == epoch:
            self.epoch, self.is_synced = None, True
            for node in self.nodes.values():
                if 0 < node.reported_in < self.generation and node.created <= epoch and not node.settlement:
                    node.settlement = 1

    def place(self, node):  # its parent in the tree, and how weak that position is
        if node.is_separate:
            return 0, (0, 0, node.id)
        if node.held_by and not node.parent:
            time, holder = min((time, holder) for holder, time in node.held_by.items())
            return holder, (1, time, node.id)
        return node.parent or node.creator, (0, 0, node.id)

    def lines(self):
        self.nodes.pop(0, None)  # no parent
        places = {number: self.place(node) for number, node in self.nodes.items()}
        seen = set()
        for number in self.nodes:
            path = []
            while number and number not in seen:
                seen.add(number)
                path.append(number)
                number = places[number][0]
            if number in path:  # a cycle: it is cut at its weakest position
                places[max(path[path.index(number):], key=lambda number: places[number][1])] = 0, None
        under = {}
        for number in sorted(self.nodes, key=lambda number: (self.nodes[number].created, number)):
            under.setdefault(places[number][0], []).append(self.nodes[number])
        stack = [(node, 0) for node in reversed(under.get(0, []))]
        while stack:
            node, depth = stack.pop()
            file, line = self.sites.get(node.site, ("", 0))
            words = [node.word(), KINDS.get(node.kind, "?"), "#%d" % node.id, node.renamed[1] if node.renamed[0] else node.label,
                     "(%s)" % ("%s:%d" % (file.split("/")[-1], line) if line else file) if file else None]
            yield "  " * depth + " ".join(word for word in words if word is not None)
            below = under.get(node.id, [])
            in_line = len(below) == 1 and below[0].parent == node.id and below[0].kind in LINKS
            stack += [(child, depth if in_line else depth + 1) for child in reversed(below)]


def messages(source):
    magic, version, oldest, _ = struct.unpack("<8sHHI", source.read(16))
    if magic != MAGIC or version < 1 or oldest > VERSION:
        sys.exit("This does not speak version %d of the wire" % VERSION)
    while head := source.read(8):
        length, kind = struct.unpack("<IB3x", head)
        if length > VIEWER_LIMIT:
            sys.exit("A message of %d bytes came" % length)
        yield kind, Payload(source.read(length))


def attach(path):
    """Connects to a program, and returns the stream of its messages."""
    connection = socket.socket(socket.AF_UNIX)
    connection.connect(path)
    greeting = struct.pack("<BBHiI6sI", 1, 1, 0, 0, 6, b"Python", 0)
    connection.sendall(MAGIC + struct.pack("<HHIIB3x", VERSION, VERSION, 0, len(greeting), 1) + greeting)
    return connection.makefile("rb")


TABLE = [0] * 256
for number in range(256):
    rest = number
    for _ in range(8):
        rest = rest >> 1 ^ (0x82F63B78 if rest & 1 else 0)
    TABLE[number] = rest


def checksum(data):
    """Returns the CRC-32C of the bytes."""
    rest = 0xFFFFFFFF
    for byte in data:
        rest = rest >> 8 ^ TABLE[(rest ^ byte) & 0xFF]
    return rest ^ 0xFFFFFFFF


def recorded(data, moment):
    """Yields the messages that lead to a moment of a recording, found from header to header."""
    magic, version, oldest, _, name = struct.unpack_from("<8sHHIQ", data)
    if magic.hex() != "636861696e72659e" or version < 1 or oldest > 1 or checksum(data[:24]) != struct.unpack_from("<I", data, 24)[0]:
        sys.exit("This is no recording of version 1")
    salt, chunks, at, is_searched = struct.pack("<Q", name), [], 48, False
    while 0 <= at <= len(data) - 88:
        head = struct.unpack_from("<4sBBHIIIIII5QIIII", data, at)
        is_header = head[0].hex() == "63686b9e" and checksum(salt + data[at:at + 84]) == head[-1]
        fits = is_header and at + 88 + head[6] <= len(data)
        # A header that was searched for may be a copy in an index.
        if fits and (not is_searched or checksum(data[at + 88:at + 88 + head[6]]) == head[-2]):
            chunks.append((head[4], head[1], head[2], head[3], head[11], head[-2], at + 88, head[6], head[7]))
            at, is_searched = at + 88 + head[6], False
        elif is_header and head[1] == 3 and not is_searched:
            break
        else:
            at, is_searched = data.find(b"chk\x9e", at + 1), True
    chunks.sort()
    ends = [index + 1 for index, chunk in enumerate(chunks) if chunk[3] & 2 and chunk[4] <= moment]
    end = ends[-1] if ends else 0
    begin = max([index for index, chunk in enumerate(chunks[:end]) if chunk[3] & 1], default=0)
    # The keyframe contains the batches that came while it was made.
    wanted = [chunk for chunk in chunks[begin:end] if chunk[1] == 1] + [chunk for chunk in chunks[end:] if chunk[1] == 2]
    later = None
    for number, kind, codec, flags, last, payload_checksum, start, length, raw in wanted:
        payload = data[start:start + length]
        if codec > 2 or checksum(payload) != payload_checksum:
            continue
        payload = unpacked(payload, raw, codec) if codec else payload
        if payload is None:
            continue
        stream = io.BytesIO(MAGIC + struct.pack("<HHI", 1, 1, 0) + payload)
        for kind, message in messages(stream):
            time = struct.unpack_from("<Q", message.data, 16)[0] if kind == 3 else 0
            if time <= moment:
                yield kind, message
            elif later in (None, time):
                later = time
                yield kind, until(message, moment)


def until(message, moment):
    """Returns a batch without its snapshots, its mark of a resync, and its events after a moment."""
    data, names = bytearray(message.data), Payload(message.data)
    size, sites, threads, executors, texts, nodes, events = names.take("60xI8x6I")
    for _ in range(sites):
        names.take("II"), names.text()
    for _ in range(threads + executors):
        names.take("I"), names.text()
    for _ in range(texts):
        names.text()
    start = end = names.at
    for _ in range(nodes):
        end += struct.unpack_from("<I", data, end)[0]
    kept = [data[at:at + size] for at in range(end, end + events * size, size) if struct.unpack_from("<Q", data, at)[0] <= moment]
    struct.pack_into("<Q", data, 16, moment)
    struct.pack_into("<I", data, 56, 0)
    struct.pack_into("<II", data, 88, 0, len(kept))
    return Payload(bytes(data[:start]) + b"".join(kept))


forest, arguments = Forest(), sys.argv[1:]
if arguments[0] == "--recording":
    source = recorded(open(arguments[1], "rb").read(), int((arguments[2:] or [1 << 64])[0]))
else:
    source = messages(open(arguments[1], "rb") if arguments[0] == "--file" else attach(arguments[0]))
for kind, payload in source:
    if kind == 3:
        forest.batch(payload)
        if forest.is_synced and len(arguments) == 1:
            break
    elif kind == 6:
        payload.take("B3x")
        print("The program ends the connection: " + payload.text(), file=sys.stderr)
print("\n".join(forest.lines()))
