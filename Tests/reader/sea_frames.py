"""Compressed payloads as sea-format(5) says: zstd frames of 32 KiB, each of which says how large it is."""
import struct, subprocess
from sea_header import MOST_PAYLOAD
from sea_values import need

MAGIC, PIECE, MOST_FRAMES = b"\x28\xb5\x2f\xfd", 32_768, 2048
STORED, RUN, CODED = range(3)

def take(b, at, size):
    need(at + size <= len(b))
    return b[at:at + size], at + size

def frame(b, at):
    """Of the frame at an offset: its content size, its blocks as (kind, size, bytes), and the offset behind it."""
    start, at = take(b, at, 5)
    need(start[:4] == MAGIC and start[4] & 0x2F == 0x20)
    width = [1, 2, 4, 8][start[4] >> 6]
    size, at = take(b, at, width)
    size = int.from_bytes(size, "little") + (256 if width == 2 else 0)
    need(size <= PIECE)
    blocks, last = [], False
    while not last:
        head, at = take(b, at, 3)
        head = int.from_bytes(head, "little")
        last, kind, n = head & 1, head >> 1 & 3, head >> 3
        need(kind <= CODED and n <= size)
        data, at = take(b, at, 1 if kind == RUN else n)
        blocks.append((kind, n, data))
    return size, blocks, at

def inflate(b):
    """What the frames hold."""
    frames, at = [], 0
    while at < len(b):
        need(len(frames) < MOST_FRAMES)
        start, (size, blocks, at) = at, frame(b, at)
        frames.append((size, blocks, b[start:at]))
    need(frames and all(size == PIECE for size, _, _ in frames[:-1]) and 1 <= frames[-1][0] <= PIECE)
    need(sum(size for size, _, _ in frames) <= MOST_PAYLOAD)
    result = []
    for size, blocks, whole in frames:
        if any(kind == CODED for kind, _, _ in blocks):
            done = subprocess.run(["zstd", "-dqc", "--no-progress"], input=whole, capture_output=True)
            need(done.returncode == 0)
            result.append(done.stdout)
        else:
            result.append(b"".join(data * n if kind == RUN else data for kind, n, data in blocks))
        need(len(result[-1]) == size)
    return b"".join(result)

# -- an independent writer: nothing made smaller but runs of one byte, so that no library's version can change the bytes

def stored(piece, descriptor=0x20 | 0x80, window=b"", size=None, kind=None, tail=b"", last=1):
    """A frame of one block, stored or, where all bytes are one, a run. What is given replaces the right part."""
    run = len(set(piece)) == 1 and len(piece) > 1
    width = [descriptor >> 5 & 1, 2, 4, 8][descriptor >> 6]
    number = (len(piece) if size is None else size) - (256 if width == 2 else 0)
    head = len(piece) << 3 | (kind if kind is not None else RUN if run else STORED) << 1 | last
    return MAGIC + bytes([descriptor]) + window + number.to_bytes(width, "little") + struct.pack("<I", head)[:3] \
        + (piece[:1] if run else piece) + tail

def coded(piece):
    """A frame as zstd(1) makes it. Of another version it may be another one: not for vectors."""
    done = subprocess.run(["zstd", "-qc", "--no-check", "--content-size", f"--stream-size={len(piece)}", "--single-thread"], input=piece, capture_output=True)
    return done.stdout

def deflate(data, one=stored):
    return b"".join(one(data[at:at + PIECE]) for at in range(0, len(data), PIECE))
