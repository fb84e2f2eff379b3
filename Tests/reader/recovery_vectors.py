"""The vectors of recovery keys: 24 words, and the keys that follow from them."""
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey
from sea_names import instance_id, recovery_exchange, recovery_seed, recovery_words, word_list
from sea_writer import raw, sha

def cases():
    """name, expect, words."""
    seed = sha(b"sea vector recovery")
    words = recovery_words(seed)
    yield "good", "ok", " ".join(words)
    yield "zeros", "ok", " ".join(recovery_words(bytes(32)))
    yield "ones", "ok", " ".join(recovery_words(b"\xff" * 32))
    yield "upper", "ok", " ".join(words).upper()
    yield "mixed-case", "ok", " ".join(word.capitalize() for word in words)
    yield "four-letters", "ok", " ".join(word[:4] for word in words)
    yield "white-space", "ok", "\t" + "\r\n ".join(words) + "\n\n"
    yield "in-lines", "ok", "".join(" ".join(words[n:n + 6]) + "\n" for n in range(0, 24, 6))
    known = word_list()
    other = known[known.index(words[-1]) ^ 1]
    yield "sum", "bad-words", " ".join(words[:-1] + [other])
    yield "swapped", "bad-words", " ".join([words[1], words[0]] + words[2:])
    yield "of-23", "bad-words", " ".join(words[:-1])
    yield "of-25", "bad-words", " ".join(words + words[:1])
    yield "empty", "bad-words", ""
    yield "no-word", "bad-words", " ".join(words[:-1] + ["zzzz"])
    yield "three-letters-of-a-longer-one", "bad-words", " ".join(word[:3] for word in words)

def vectors():
    """Path, header lines, text."""
    for name, expect, text in cases():
        yield f"recovery/{name}.vec", [("name", name), ("expect", expect)] + (list(judge(None, text).items()) if expect == "ok" else []), text + "\n"

def judge(said, body):
    seed = recovery_seed(body)
    key = raw(Ed25519PrivateKey.from_private_bytes(seed))
    secret = recovery_exchange(seed)
    return {"seed": seed.hex(), "key": key.hex(), "instance": str(instance_id(key)), "secret": secret.hex(), "exchange": raw(X25519PrivateKey.from_private_bytes(secret)).hex()}
