# SPDX-License-Identifier: MIT
"""Reads the packed payloads of a recording: columns, which Zstandard may have packed. Written from TheRecording.md alone."""
import ctypes
import ctypes.util
import struct

NUMBERS, FIRST_TIME = 11, 3  # optional fields of a node that are numbers, and the first of them that is a time
MASK = (1 << 64) - 1


def library():
    """Returns libzstd, of which one function is called."""
    name = ctypes.util.find_library("zstd")
    if name is None:
        raise SystemExit("libzstd is not installed, so packed recordings cannot be read")
    zstd = ctypes.CDLL(name)
    zstd.ZSTD_decompress.restype = ctypes.c_size_t
    zstd.ZSTD_decompress.argtypes = [ctypes.c_char_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]
    return zstd


def unpacked(stored, raw, codec):
    """Returns the payload of `raw` bytes that was stored as these; None if it is damaged."""
    if codec == 1:
        buffer = ctypes.create_string_buffer(raw + 26)
        size = library().ZSTD_decompress(buffer, raw + 26, stored, len(stored))
        if size > raw + 26:
            return None
        stored = buffer.raw[:size]
    payload = Columns(stored).payload()
    return payload if len(payload) == raw else None


def unfolded(number):
    """Returns the signed number of a zig-zag code."""
    return -(number >> 1) - 1 if number & 1 else number >> 1


class Columns:
    """The columns of one payload."""

    def __init__(self, data):
        self.data, self.at = data, 26
        head, events, nodes, numbers = struct.unpack_from("<4I", data)
        self.planes = iter(data[16:26])
        self.head = self.bytes(head)
        self.events = list(self.read_events(events))
        self.nodes = list(self.read_nodes(nodes, numbers))

    def bytes(self, count):
        self.at += count
        return self.data[self.at - count:self.at]

    def column(self, count):
        stored = next(self.planes)  # a bit for each plane of bytes; the others are zero
        planes = [self.bytes(count) if stored >> plane & 1 else bytes(count) for plane in range(8)]
        return [int.from_bytes(number, "little") for number in zip(*planes)]

    def read_events(self, count):
        columns = [self.column(count) for _ in range(5)]
        time = node = 0
        for times, nodes, other, *rest in zip(*columns):
            time, node = time + unfolded(times) & MASK, node + unfolded(nodes) & MASK
            other = node + unfolded(other - 1) & MASK if other else 0
            yield struct.pack("<5Q", time, node, other, *rest)

    def read_nodes(self, count, number_count):
        columns = [self.column(count) for _ in range(4)]
        numbers = self.column(number_count)
        fields, next_number = [extent >> 32 for extent in columns[0]], []
        for field in range(NUMBERS):
            next_number.append(sum(bits >> before & 1 for bits in fields for before in range(field)))
        node = time = 0
        for extent, ids, *rest in zip(*columns):
            size, bits = extent & 0xFFFFFFFF, extent >> 32
            node = node + unfolded(ids) & MASK
            data, before = struct.pack("<4Q", extent, node, *rest), None
            for field in range(NUMBERS):
                if not bits >> field & 1:
                    continue
                is_time = field >= FIRST_TIME
                base = (time if before is None else before) if is_time else node
                number = base + unfolded(numbers[next_number[field]]) & MASK
                next_number[field] += 1
                data += struct.pack("<Q", number)
                if is_time:
                    time, before = number if before is None else time, number
            yield data + self.bytes(size - len(data))

    def payload(self):
        """Returns the messages, in order, each with its nodes and events."""
        result, at, event, node = b"", 0, 0, 0
        while at < len(self.head):
            size, kind, is_moved = struct.unpack_from("<IB2xB", self.head, at)
            moved = b""
            if is_moved:
                node_count, event_count = struct.unpack_from("<II", self.head, at + 8 + 88)
                moved = b"".join(self.nodes[node:node + node_count] + self.events[event:event + event_count])
                node, event = node + node_count, event + event_count
            body = self.head[at + 8:at + 8 + size - len(moved)]
            result += struct.pack("<IB3x", size, kind) + body + moved
            at += 8 + len(body)
        return result
