"""An independent reader of the pieces of an asset, from sea-format(5), ASSETS."""
import hashlib

PIECE = 2**24

def sha(b):
    return hashlib.sha256(b).digest()

def in_pieces(size):
    return size > PIECE

def files(size):
    """How many files an asset has, the list included."""
    return 1 if not in_pieces(size) else 1 + -(-size // 2**30)

def ranges(size):
    return [(first, min(first + PIECE, size)) for first in range(0, size, PIECE)]

def digest(size, hashes):
    """The digest that the record has."""
    return sha(b"sea pieces v1" + size.to_bytes(8, "big") + hashes)

def check(size, said, hashes, content):
    """Whether the list is right, whether the content is, and with a right list the ranges that are not, joined. `said` is the digest of the record."""
    if not in_pieces(size):
        return False, len(content) == size and sha(content) == said, []
    right = len(hashes) == 32 * len(ranges(size)) and digest(size, hashes) == said
    found = [sha(content[first:end]) for first, end in ranges(size)]
    if len(content) != size or not right:
        return right, len(content) == size and digest(size, b"".join(found)) == said, []
    bad = []
    for (first, end), one, at in zip(ranges(size), found, range(0, len(hashes), 32)):
        if one == hashes[at:at + 32]:
            continue
        if bad and bad[-1][1] == first:
            first = bad.pop()[0]
        bad.append((first, end))
    return True, not bad, bad
