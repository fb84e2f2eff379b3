"""The places in the bytes of a block, as sea-format(5) has them: header, heads, content, signature."""
import hashlib, os, struct, sys

HEADER, BEFORE_DATA = 84, 52  # the header, and what stands in it before `data`
ROW, DIGEST, SIGNATURE = 52, 32, 64  # a head or a row of a clear list
COUNT, PREVIOUS, DATA = slice(16, 20), slice(20, 52), slice(BEFORE_DATA, HEADER)
MOST_PAYLOAD, MOST_HEADS = 2**26 - HEADER, 65_536
SEALED, REMOVED = 1, 8

def sha(*parts):
    return hashlib.sha256(b"".join(parts)).digest()

def number(four):
    return int.from_bytes(four, "big")

def as_written(header):
    """A header, or its beginning, as it was before the block was removed."""
    return header[:3] + bytes(one & ~REMOVED for one in header[3:4]) + header[4:HEADER]

def hash_of(b):
    """The hash of a block, whole or removed."""
    return sha(as_written(b))

def end_of_heads(b):
    return HEADER + ROW * number(b[COUNT])

def length(b):
    """How many bytes a block has, as its header says."""
    return end_of_heads(b) + DIGEST + SIGNATURE if b[3] & REMOVED else HEADER + number(b[4:8])

def least(mode):
    """The least content and signature that a payload has behind its heads."""
    return 125 if mode & SEALED else 65

def parts(b):
    """The heads, the digest of the content, and the signature of a block; the digest is its own last but one part if it is removed."""
    at, end = end_of_heads(b), len(b) - SIGNATURE
    return b[HEADER:at], b[at:end] if b[3] & REMOVED else sha(b[at:end]), b[end:]

def content(b):
    return b[end_of_heads(b):-SIGNATURE]

def data_of(heads, content_digest, signature):
    return sha(sha(heads), content_digest, signature)

def covered(database, instance, header, heads, content_digest):
    """What the signature of a block covers."""
    return b"sea block v1" + database.bytes + instance.bytes + as_written(header)[:BEFORE_DATA] + sha(heads) + content_digest

def with_data(b):
    """A block whose bytes somebody has changed, with the digest that fits them; its signature stays as it is."""
    return bytes(b[:BEFORE_DATA]) + data_of(*parts(b)) + bytes(b[HEADER:])

def forged(b, at):
    """A block with one bit of its content changed, counted from the beginning or the end of it, with the digest that fits."""
    at += end_of_heads(b) if at >= 0 else len(b) - SIGNATURE
    return with_data(b[:at] + bytes([b[at] ^ 1]) + b[at + 1:])

def removed(b):
    """A block with its content replaced by the digest of that content."""
    return bytes(b[:3]) + bytes([b[3] | REMOVED]) + bytes(b[4:HEADER]) + b"".join(parts(b))

def split(blocks):
    """Whole blocks that stand one after another, as in a folded file."""
    while blocks:
        end = length(blocks)
        yield blocks[:end]
        blocks = blocks[end:]

def row(instance, index, hash):
    return instance.bytes + struct.pack(">I", index) + hash

def main(how, *words):
    """sea_header.py remove FILE...: turns the blocks in the files into their removed form.
    sea_header.py forge FILE AT: changes a byte of the content of a block, with the digest that anybody can make."""
    for path in words if how == "remove" else words[:1]:
        with open(path, "rb") as file:
            b = file.read()
        os.chmod(path, 0o600)
        with open(path, "wb") as file:
            file.write(removed(b) if how == "remove" else forged(b, int(words[1])))

if __name__ == "__main__":
    main(*sys.argv[1:])
