"""The vectors of membership: who has which role, and which blocks are held, after a set of blocks.

A script has one block a line: `A 5: +B write, -C C2, x` is the next block of A, with the Lamport time 5, that gives B a
role, revokes C behind its block C2 and has a change. `-C` alone: nothing of C counts. Every instance has a first block
with the Lamport time 1 unless there is `A0 7:`. `>B3` names the head B3 (`>B3@4`: with another index), `?` says that a block decides
about members and cannot be read. `A~1 6:` begins a second branch behind the block A1, whose blocks are A2', A3', and `A' 7:`
goes on there. `^B` in a first block: it follows B. `-B B2 =C`: the revocation keeps C. `no R`: no first block of R is known.
The founder is F, recovery, if there is one, R; the instanceIDs are in the order of the letters.
"""
import random, re, uuid
from sea_members import UNKNOWN, standing
from sea_names import read_proof
from sea_values import Bad
from sea_writer import PROOFS, Instance, instance_id, named, sha

MEMBERS = dict(zip("ABCDEFGHIR", sorted((Instance(f"member {n}") for n in range(10)), key=lambda i: i.id.bytes)))
DATABASE = named(MEMBERS["F"].key, members=True)
RECOVERABLE = named(MEMBERS["F"].key, members=True, recovery=MEMBERS["R"].key)

def cases():
    """name, script, what must follow: roles with their cuts where it is not all or nothing, and the blocks that are held."""
    yield "founder-alone", "F 2: x", "F admin"
    yield "stranger", "F 2: x\nA 3: x", "F admin; held A0 A1"
    yield "write", "F 2: +A write\nA 3: x", "F admin; A write"
    yield "write-in-any-order", "A 3: x\nF 2: +A write", "F admin; A write"
    yield "read", "F 2: +A read\nA 3: x", "F admin; A read; held A0 A1"
    yield "admin", "F 2: +A admin\nA 3: +B write\nB 4: x", "F admin; A admin; B write"
    yield "admin-of-admin", "F 2: +A admin\nA 3: +B admin\nB 4: +C admin\nC 5: +D write\nD 6: x", "F admin; A admin; B admin; C admin; D write"
    yield "by-a-writer", "F 2: +A write\nA 3: +B write\nB 4: x", "F admin; A write; held B0 B1"
    yield "by-a-reader", "F 2: +A read\nA 3: +B write\nB 4: x", "F admin; A read; held A0 A1 B0 B1"
    yield "by-a-stranger", "F 2: x\nA 3: +B admin\nB 4: +A admin", "F admin; held A0 A1 B0 B1"
    yield "by-itself", "F 2: +A write\nA 3: +A admin\nA 4: +B write\nB 5: x", "F admin; A write; held B0 B1"
    yield "promoted", "F 2: +A read\nA 3: x\nF 4: +A write", "F admin; A write"
    yield "promoted-to-admin", "F 2: +A write\nA 3: +B write\nF 4: +A admin\nB 5: x", "F admin; A admin; B write"
    yield "demoted-without-cut", "F 2: +A write\nA 3: x\nF 4: +A read", "F admin; A read; held A0 A1"
    yield "demoted-behind-a-cut", "F 2: +A write\nA 3: x\nF 4: -A A1, +A read\nA 5: x", "F admin; A read A1; held A2"

    yield "revoked", "F 2: +A write\nA 3: x\nA 5: x\nF 6: -A A1", "F admin; A none A1; held A2"
    yield "revoked-all", "F 2: +A write\nA 3: x\nF 6: -A", "F admin; A none; held A0 A1"
    yield "revoked-first-block", "F 2: +A write\nA 3: x\nF 6: -A A0", "F admin; A none A0; held A1"
    yield "revoked-backdated", "F 2: +A write\nA 3: x\nF 9: -A A1\nA 4: x\nA 5: x", "F admin; A none A1; held A2 A3"
    yield "revoked-twice", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A2\nF 6: -A A1", "F admin; A none A1; held A2"
    yield "revoked-twice-later-cut", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A1\nF 6: -A A2", "F admin; A none A2"
    yield "revoked-and-back", "F 2: +A write\nA 3: x\nF 5: -A A1\nA 6: x\nF 7: +A write", "F admin; A write"
    yield "revoked-and-reader", "F 2: +A write\nA 3: x\nF 5: -A A1\nF 7: +A read\nA 8: x", "F admin; A read A1; held A2"
    yield "revoked-all-and-reader", "F 2: +A write\nA 3: x\nF 5: -A\nF 7: +A read", "F admin; A read; held A0 A1"
    yield "revoked-reader", "F 2: +A read\nA 3: x\nF 5: -A A1", "F admin; A none; held A0 A1"
    yield "revoked-reader-that-wrote", "F 2: +A write\nA 3: x\nF 4: -A A1, +A read\nA 5: x\nF 6: -A A2", "F admin; A none A1; held A2"
    yield "revoked-stranger", "F 2: -A A1\nA 3: x", "F admin; A none; held A0 A1"
    yield "revoked-before-it-was-authorized", "F 2: -A\nF 3: +A write\nA 4: x", "F admin; A write"
    yield "revoked-by-a-writer", "F 2: +A write, +B write\nA 3: -B\nB 4: x", "F admin; A write; B write"
    yield "revoke-and-authorize-in-one-block", "F 2: +A write\nA 3: x\nF 4: +A write, -A A0", "F admin; A none A0; held A1"
    yield "cut-not-there", "F 2: +A write\nA 3: x\nF 4: -A A7", "F admin; A none A7; held A0 A1"
    yield "cut-at-another-index", "F 2: +A write\nA 3: x\nA 4: x\nF 5: -A A1@2", "F admin; A none A1@2; held A0 A1 A2"
    yield "cut-of-another-chain", "F 2: +A write\nA 3: x\nF 5: -A F1", "F admin; A none F1; held A0 A1"

    yield "lamport-decides", "F 2: +A admin, +C write\nA 7: +C write\nF 6: -C C0\nC 3: x", "F admin; A admin; C write"
    yield "author-decides", "F 2: +A admin\nA 5: +C write\nF 5: -C C0\nF 3: +C write\nC 4: x", "F admin; A admin; C none C0; held C1"
    yield "item-decides", "F 2: +C write\nC 3: x\nF 4: -C, +C write", "F admin; C write"

    yield "admin-revoked-keeps-what-it-did", "F 2: +A admin\nA 3: +B write\nF 5: -A A1\nB 6: x", "F admin; A none A1; B write"
    yield "admin-revoked-later-entries", "F 2: +A admin\nA 3: x\nF 5: -A A1\nA 4: +B write\nB 6: x", "F admin; A none A1; held A2 B0 B1"
    yield "admin-revoked-all", "F 2: +A admin\nA 3: +B admin\nB 4: +C write\nF 5: -A", "F admin; A none; held A0 A1 B0 B1 C0"
    yield "admin-to-writer", "F 2: +A admin\nA 3: +B write\nF 5: +A write\nB 6: x", "F admin; A write; held B0 B1"
    yield "admin-to-writer-behind-a-cut", "F 2: +A admin\nA 3: +B write\nF 5: -A A1, +A write\nA 6: +C write\nB 7: x", "F admin; A write; B write; held C0"
    yield "admin-to-reader-behind-a-cut", "F 2: +A admin\nA 3: +B write\nF 5: -A A1, +A read\nA 6: x\nB 7: x", "F admin; A read A1; B write; held A2"
    yield "admin-again-speaks-for-all", "F 2: +A admin\nA 3: x\nF 4: -A A1\nA 5: +B write\nF 6: +A admin\nB 7: x", "F admin; A admin; B write"
    yield "revoked-by-a-revoked-admin", "F 2: +A admin, +B write\nB 3: x\nA 4: -B B0\nF 5: -A A0", "F admin; A none A0; B write; held A1"

    yield "leaving", "F 2: +A write\nA 3: x\nA 4: -A A1\nA 5: x", "F admin; A none A1; held A2 A3"
    yield "leaving-with-all", "F 2: +A write\nA 3: x\nA 4: -A", "F admin; A none; held A0 A1 A2"
    yield "leaving-reader", "F 2: +A read\nA 3: -A A0", "F admin; A none; held A0 A1"
    yield "leaving-and-back", "F 2: +A write\nA 3: -A A0\nF 4: +A write\nA 5: x", "F admin; A write"
    yield "leaving-longer", "F 2: +A write\nA 3: -A A0\nA 4: x\nA 5: -A A2", "F admin; A none A0; held A1 A2 A3"
    yield "leaving-after-a-revoke", "F 2: +A write\nA 3: x\nF 4: -A A0\nA 5: -A A1", "F admin; A none A0; held A1 A2"
    yield "leaving-backdated-after-a-revoke", "F 2: +A write\nA 3: x\nF 9: -A A0\nA 4: -A A1\nF 10: +A read", "F admin; A read A0; held A1 A2"
    yield "leaving-stranger", "F 2: x\nA 3: -A A0", "F admin; held A0 A1"
    yield "leaving-founder", "F 2: +A admin\nF 3: -F F1\nF 4: +B write\nA 5: +C write\nB 6: x\nC 7: x", "A admin; C write; F none F1; held B0 B1 F2 F3"
    yield "leaving-founder-with-all", "F 2: +A admin\nF 3: -F\nA 5: +C write", "F none; held A0 A1 C0 F0 F1 F2"
    yield "leaving-admin-takes-along", "F 2: +A admin\nA 3: x\nA 4: +B write\nA 5: -A A1\nB 6: x", "F admin; A none A1; held A2 A3 B0 B1"

    both = "F 2: +A admin, +B admin\n"
    yield "upward", both + "B 3: -A A0\nA 4: x", "F admin; A none A0; B admin; held A1"
    yield "upward-against-the-founder", "F 2: +A admin\nF 3: x\nA 4: -F F1\nF 5: +C write\nC 6: x", "A admin; C write; F none F1; held F2 F3"
    yield "upward-saws-its-branch", "F 2: +A admin\nA 4: -F F0", "A admin; F none F0; held F1"
    yield "upward-saws-its-branch-all", "F 2: +A admin\nA 3: +B admin\nB 4: -A", "F admin; A none; B admin; held A0 A1"
    yield "upward-demotes-the-founder", "F 2: +A admin\nA 4: +F write", "F write; A admin"
    yield "upward-demotes-behind-a-cut", "F 2: +A admin\nA 4: -F F1, +F write\nF 5: +C write\nF 6: x", "A admin; C write; F write"
    yield "upward-gives-back", both + "F 3: -A A0\nB 4: +A admin\nA 5: +C write", "F admin; A write; B admin; held C0"
    yield "upward-then-senior-again", both + "B 3: -A A0\nF 4: +A admin\nA 5: x", "F admin; A admin; B admin"
    yield "upward-by-a-writer", "F 2: +A admin, +B write\nB 3: -A", "F admin; A admin; B write"
    yield "upward-two-entries", both + "A 3: x\nB 4: -A A0\nB 5: +A write\nA 6: +C write", "F admin; A write; B admin; C write"
    yield "upward-gives-back-what-a-junior-took", both + "B 3: -A A0\nB 4: +A admin\nA 5: +C write", "F admin; A admin; B admin; C write"
    yield "upward-by-one-that-a-junior-has-revoked", "F 2: +A admin, +B admin, +C admin\nB 3: -A A0\nC 4: -B B1", "F admin; A none A0; B none B1; C admin"
    yield "upward-leaves-what-was-said-downward", "F 2: +A admin, +B admin\nA 3: +C admin\nB 4: -A", "F admin; A none; B admin; C admin; held A0 A1"
    yield "upward-two-about-one", "F 2: +A admin, +B admin, +C admin\nA 3: x\nB 4: -A A1\nC 5: -A A0", "F admin; A none A0; B admin; C admin; held A1"

    yield "mutual", both + "A 3: -B B0\nB 3: -A A0", "F admin; A admin; B none B0; held B1"
    yield "mutual-junior-first", both + "B 3: -A A0\nA 9: -B B0", "F admin; A admin; B none B0; held B1"
    yield "mutual-and-knowing", both + "B 3: -A A0\nA 4: -B B1", "F admin; A none A0; B none B1; held A1"
    yield "mutual-with-the-founder", "F 2: +A admin\nA 3: -F F1\nF 4: -A A0", "F admin; A none A0; held A1"
    yield "mutual-rank-by-lamport", "F 2: +B admin\nF 3: +A admin\nA 4: -B B0\nB 4: -A A0", "F admin; A none A0; B admin; held A1"
    yield "mutual-rank-by-depth", "F 2: +C admin\nC 3: +B admin\nF 9: +A admin\nA 10: -B B0\nB 4: -A A0", "F admin; A admin; B none B0; C admin; held B1"
    yield "mutual-ring", "F 2: +A admin, +B admin, +C admin\nA 3: -B B0\nB 3: -C C0\nC 3: -A A0", "F admin; A none A0; B none B0; C admin; held A1 B1"
    yield "thief-undone", "F 2: +A admin, +B admin, +C write\nB 3: -A A0, -C, -F F1, +D admin\nD 4: x\nF 5: -B B0", "F admin; A admin; B none B0; C write; held B1 D0 D1"
    yield "revoker-revoked", "F 2: +A admin, +B admin, +C admin\nB 3: -A A0\nC 4: -B B0", "F admin; A none A0; B none B0; C admin; held B1"
    yield "rank-is-kept", both + "F 3: -A A0\nF 4: +A admin\nA 5: -B B0\nB 5: -A A0", "F admin; A admin; B none B0; held B1"
    yield "rank-of-a-reader", "F 2: +A read, +B admin\nF 3: +A admin\nA 4: -B B0\nB 4: -A A0", "F admin; A none A0; B admin; held A1"

    fork = "F 2: +A write\nA 3: x\nA 4: x\nA~1 4: x\nA' 5: x\n"
    yield "fork-counts", fork, "F admin; A write"
    yield "fork-cut-on-the-trunk", fork + "F 6: -A A2", "F admin; A none A2; held A2' A3'"
    yield "fork-cut-on-the-branch", fork + "F 6: -A A3'", "F admin; A none A3'; held A2"
    yield "fork-cut-before", fork + "F 6: -A A1", "F admin; A none A1; held A2 A2' A3'"
    future = "F 2: +A admin, +B write\n"
    yield "future-of-an-admin", future + "A 3: ?\nB 4: x", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names", future + "B 3: x\nB 4: x\nA 5: >B1, ?", "F admin; A admin; B write; held B2"
    yield "future-that-named-before", future + "B 3: x\nB 4: x\nA 5: >B1\nA 6: ?\nB 7: x", "F admin; A admin; B write; held B2 B3"
    yield "future-that-names-later", future + "B 3: x\nA 4: ?\nA 5: >B1", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-what-is-not-here", future + "B 3: x\nA 4: >B7, ?", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-another-index", future + "B 3: x\nA 4: >B1@2, ?", "F admin; A admin; B write; held B0 B1"
    yield "future-that-names-another-branch", future + "B 3: x\nB~0 3: x\nA 4: >B1', ?", "F admin; A admin; B write; held B1"
    yield "future-twice", future + "B 3: x\nA 4: >B1, ?\nA 5: ?\nB 6: x", "F admin; A admin; B write; held B2"
    yield "future-of-two", future + "F 3: +C admin\nB 4: x\nA 5: >B1, >C0, ?\nC 5: ?", "F admin; A admin; B write; C admin; held B0 B1 C1"
    yield "future-of-the-founder", future + "F 3: ?\nA 4: x\nB 5: x", "F admin; A admin; B write; held A0 A1 B0 B1"
    yield "future-of-a-writer", future + "B 3: ?\nA 4: x", "F admin; A admin; B write"
    yield "future-of-one-whom-a-junior-revoked", "F 2: +A admin, +B admin, +C write\nB 3: -A A0\nA 4: ?\nC 5: x", \
        "F admin; A admin; B admin; C write; held B0 B1 C0 C1"
    yield "future-of-a-junior", "F 2: +A admin, +B admin\nB 3: ?\nA 4: x", "F admin; A admin; B admin"
    yield "future-of-a-stranger", future + "C 3: ?\nB 4: x", "F admin; A admin; B write; held C0 C1"
    yield "future-of-one-revoked", future + "B 3: x\nA 4: ?\nF 5: -A A1", "F admin; A none A1; B write; held B0 B1"
    yield "future-of-one-revoked-before", future + "B 3: x\nA 4: ?\nF 5: -A A0", "F admin; A none A0; B write; held A1"
    yield "future-holds-a-stranger", future + "D 3: x\nA 4: >B0, ?", "F admin; A admin; B write; held D0 D1"
    yield "future-holds-entries", "F 2: +A admin, +B admin\nB 3: +C write\nC 4: x\nA 5: ?", "F admin; A admin; B admin; held B0 B1 C0 C1"
    yield "future-keeps-entries", "F 2: +A admin, +B admin\nB 3: +C write\nC 4: x\nA 5: >B1, >C0, ?", "F admin; A admin; B admin; C write; held C1"
    yield "future-held-itself", "F 2: +A admin, +B admin, +C write\nC 3: x\nA 4: >C1, ?\nB 5: ?", "F admin; A admin; B admin; C write; held B0 B1 C0 C1"
    admins = "F 2: +A admin\nA 3: x\nA 4: +B write\nA~1 4: +C write\n"
    yield "fork-of-an-admin", admins, "F admin; A admin; B write; C write"
    yield "fork-of-an-admin-cut", admins + "F 6: -A A2", "F admin; A none A2; B write; held A2' C0"
    yield "fork-same-place", "F 2: +A admin\nA 3: +B write\nA~0 3: -B\n", "F admin; A admin; held B0"

    yield from lines()
    yield from recovery()

def lines():
    pair = "F 2: +A write\nA 3: x\nB0 4: ^A\nB 5: x\n"
    yield "line-successor", pair, "F admin; A write; B write"
    yield "line-successor-of-a-reader", "F 2: +A read\nB0 4: ^A\nB 5: x", "F admin; A read; B read; held A0 B0 B1"
    yield "line-successor-of-a-stranger", "F 2: x\nB0 4: ^A\nB 5: x", "F admin; held A0 B0 B1"
    yield "line-successor-of-nobody-known", "no A\nF 2: +A write\nB0 4: ^A\nB 5: x", "F admin; A write; B write"
    yield "line-successor-of-an-admin", "F 2: +A admin\nB0 4: ^A\nB 5: +C write\nC 6: x", "F admin; A admin; B admin; C write"
    yield "line-of-three", "F 2: +A admin\nB0 4: ^A\nC0 5: ^B\nC 6: +D write\nD 7: x", "F admin; A admin; B admin; C admin; D write"
    yield "line-revoked", pair + "F 6: -A A1", "F admin; A none A1; B none; held B0 B1"
    yield "line-revoked-all", pair + "F 6: -A", "F admin; A none; B none; held A0 A1 B0 B1"
    yield "line-revoked-keeps", pair + "F 6: -A A1 =B\nB 7: x", "F admin; A none A1; B write"
    yield "line-revoked-keeps-another", pair + "F 6: -A A1 =C\nB 7: x", "F admin; A none A1; B none; held B0 B1 B2 C0"
    yield "line-revoked-keeps-itself", pair + "F 6: -A A0 =A", "F admin; A none A0; B none; held A1 B0 B1"
    yield "line-revoked-keeps-the-one-between", pair + "C0 6: ^B\nC 7: x\nF 8: -A A1 =B", "F admin; A none A1; B write; C write"
    yield "line-revoked-keeps-the-last", pair + "C0 6: ^B\nC 7: x\nF 8: -A A1 =C", "F admin; A none A1; B none; C write; held B0 B1"
    yield "line-revoked-in-the-middle", pair + "C0 6: ^B\nC 7: x\nF 8: -B B0", "F admin; A write; B none B0; C none; held B1 C0 C1"
    yield "line-revoked-in-the-middle-keeps-the-first", pair + "C0 6: ^B\nC 7: x\nF 8: -B B0 =A", "F admin; A write; B none B0; C none; held B1 C0 C1"
    yield "line-successor-revoked", pair + "F 6: -B B0", "F admin; A write; B none B0; held B1"
    yield "line-successors-first", pair + "F 6: -B B1, -A A0", "F admin; A none A0; B none B1; held A1"
    yield "line-predecessor-first", pair + "F 6: -A A0, -B B1", "F admin; A none A0; B none; held A1 B0 B1"
    yield "line-revoked-and-back", pair + "F 6: -A A1\nF 7: +A write\nB 8: x", "F admin; A write; B write"
    yield "line-revoked-and-the-successor-back", pair + "F 6: -A A1\nF 7: +B write\nB 8: x", "F admin; A none A1; B write"
    yield "line-successor-another-role", pair + "F 6: +B read", "F admin; A write; B read; held B0 B1"
    yield "line-predecessor-another-role", pair + "F 6: +B admin\nF 7: +A read", "F admin; A read; B read; held A0 A1 B0 B1"
    yield "line-successor-made-admin", "F 2: +A write\nB0 3: ^A\nF 4: +B admin\nA 5: +C write\nB 5: +D write\nC 6: x\nD 6: x", "F admin; A write; B admin; D write; held C0 C1"
    yield "line-rank-through-the-successor", "F 2: +A write, +B admin, +C admin\nB0 3: ^A\nC 6: -B B0\nB 6: -C C0", "F admin; A write; B admin; C none C0; held C1"
    yield "line-siblings", pair + "C0 6: ^A\nC 7: x", "F admin; A write; B write; C write"
    yield "line-sibling-revoked", pair + "C0 6: ^A\nC 7: x\nF 8: -B B0", "F admin; A write; B none B0; C write; held B1"
    admins = "F 2: +A admin\nA 3: x\nB0 4: ^A\n"
    yield "line-among-themselves", admins + "A 5: -B\nB 6: -A A0", "F admin; A admin; B admin"
    yield "line-among-siblings", admins + "C0 4: ^A\nB 5: -C\nC 6: +B read", "F admin; A admin; B admin; C admin"
    yield "line-leaving", admins + "A 5: -A A1\nB 6: +C write\nC 7: x", "F admin; A none A1; B admin; C write; held A2"
    yield "line-successor-leaving", admins + "B 6: -B B0", "F admin; A admin; B none B0; held B1"
    yield "line-revoked-by-a-junior", "F 2: +A admin\nF 3: +C admin\nA 3: x\nB0 4: ^A\nC 5: -A A1", "F admin; A none A1; B none; C admin; held B0"
    yield "line-revoked-by-a-junior-keeps", "F 2: +A admin\nF 3: +C admin\nA 3: x\nB0 4: ^A\nC 5: -A A1 =B", "F admin; A none A1; B admin; C admin"
    yield "line-successor-revokes-downward", "F 2: +A admin\nF 3: +C admin\nB0 4: ^A\nB 5: -C C0", "F admin; A admin; B admin; C none C0"
    yield "line-mutual", "F 2: +A admin\nF 3: +C admin\nB0 4: ^A\nD0 4: ^C\nB 5: -D D0\nD 5: -B B0", "F admin; A admin; B admin; C admin; D none D0; held D1"
    yield "line-mutual-across", "F 2: +A admin\nF 3: +C admin\nB0 4: ^A\nD0 4: ^C\nB 5: -C C0\nD 5: -A A0", "F admin; A admin; B admin; C none C0; D none; held D0 D1"
    yield "line-of-the-founder", "G0 2: ^F\nG 3: +A write\nA 4: x", "F admin; G admin; A write"
    yield "line-of-the-founder-alone", "no F\nG0 2: ^F\nG 3: +A write\nA 4: x", "held A0 A1 G0 G1"
    yield "line-of-the-founder-among-themselves", "F 2: x\nG0 3: ^F\nG 4: -F F0\nF 4: -G", "F admin; G admin"
    yield "line-of-the-founder-revoked", "F 2: +A admin\nG0 3: ^F\nG 4: x\nA 5: -F F1", "A admin; F none F1; G none; held G0 G1"
    yield "line-of-the-founder-revoked-keeps", "F 2: +A admin\nG0 3: ^F\nG 4: x\nA 5: -F F1 =G\nF 6: x", "A admin; F none F1; G admin; held F2"
    yield "line-circle", "F 2: +A write\nA0 1: ^B\nB0 1: ^A\nA 3: x\nB 3: x", "F admin; A write; held B0 B1"
    yield "line-behind-a-circle", "F 2: +A write\nA0 1: ^B\nB0 1: ^A\nC0 1: ^A\nD0 1: ^C\nC 3: x", "F admin; A write; C write; D write; held B0"
    yield "line-circle-of-three", "F 2: +A write\nA0 1: ^B\nB0 1: ^C\nC0 1: ^A", "F admin; A write; held B0 C0"
    two = "F 2: +A write, +B read\nC0 1: ^A\nC0' 1: ^B\nC 3: x"
    by_hash = sha(b"C0") < sha(b"C0'")
    yield "line-two-first-blocks", two, "F admin; A write; B read; C write; held B0" if by_hash else "F admin; A write; B read; C read; held B0 C0 C0' C1"
    two = "F 2: +A write\nD0 1: x\nD0'' 1: ^A"
    yield "line-two-first-blocks-one-without", two, "F admin; A write; held D0 D0''" if sha(b"D0") < sha(b"D0''") else "F admin; A write; D write"
    yield "line-silent", "F 2: +A admin\nF 3: +C admin\nB0 4: ^A\nC 5: -A A0", "F admin; A none A0; B none; C admin; held B0"
    yield "line-future", "F 2: +A admin, +C write\nB0 3: ^A\nC 3: x\nD0 4: ^C\nB 5: >C1, ?\nA 6: x", "F admin; A admin; B admin; C write; D write; held D0"

def recovery():
    yield "recovery-without-a-chain", "no R\nF0 1: +R admin\nF 2: +A write\nA 3: x", "F admin; R admin; A write"
    yield "recovery-not-authorized", "F 2: +A write\nR 3: +B write\nB 4: x", "F admin; R admin; A write; B write"
    yield "recovery-without-the-founder", "no F\nR 3: +B write\nB 4: x", "held B0 B1 R0 R1"
    yield "recovery-revokes-the-founder", "F 2: +A admin\nR 3: -F F1\nF 4: +B write\nA 5: +C write\nB 6: x\nC 6: x", "R admin; A admin; C write; F none F1; held B0 B1 F2"
    yield "recovery-revokes-the-founder-with-all", "F 2: +A admin\nR 3: -F\nA 5: x", "R admin; F none; held A0 A1 F0 F1"
    yield "recovery-puts-somebody-in-its-place", "F 2: +A admin\nA 3: -F F1\nF 3: x\nR 4: -A, +F admin, +G admin\nG 5: x", "R admin; F admin; G admin; A none; held A0 A1"
    yield "recovery-revoked-by-the-founder", "F 2: +A write\nR 3: x\nF 4: -R R1\nR 5: +B write\nB 6: x", \
        "F admin; A write; B write; R none R1; held R2"
    yield "recovery-and-founder-revoke-each-other", "F 2: x\nR 3: -F F1\nF 3: -R R0", "R admin; F none F1; held F2"
    yield "recovery-revoked-by-an-admin", "F 2: +A admin\nR 3: x\nA 4: -R R1\nR 5: x", "F admin; A admin; R none R1; held R2"
    yield "recovery-ranks-before", "R 2: +B admin\nF 2: +A admin\nA 3: -B B0\nB 3: -A A0", "F admin; R admin; A admin; B none B0; held B1" if MEMBERS["F"].id.bytes < MEMBERS["R"].id.bytes else \
        "F admin; R admin; B admin; A none A0; held A1"
    yield "recovery-of-the-founder", "R0 2: ^F\nR 3: -F F0\nF 3: -R", "F admin; R admin"
    yield "recovery-goes-on", "G0 2: ^R\nG 3: -F F0, +A write\nA 4: x", "R admin; G admin; A write; F none F0"

# -- the text of a vector

def text(script):
    """The body of a vector: instances, and blocks with their entries."""
    blocks, tips, first, again = [], {}, {}, []
    for line in script.strip().split("\n"):
        if line.startswith("no "):
            first[line[3]] = None
            continue
        front, items = line.split(": ")
        who, lamport = front.split()
        author, branch = who[0], who[1:]
        for one in [author, *re.findall(r"[+>^=-]([A-Z])", items)]:
            first.setdefault(one, f"block {one} 0 1 {one}0 -")
        if branch.startswith("~"):
            tips[author, "'"] = int(branch[1:]), f"{author}{branch[1:]}"
            branch = "'"
        index, previous = tips.get((author, branch), (0, f"{author}0"))
        label = f"{author}{index + 1}{branch}"
        if branch.startswith("0"):
            index, label, previous = -1, author + branch, "-"
        else:
            tips[author, branch] = index + 1, label
        said = []
        for item in items.split(", "):
            words = item[1:].split()
            if item in ("x", "?"):
                said.append({"x": "change", "?": "unreadable"}[item])
            elif item[0] == ">":
                said.append(f"head {item[1]} {point(item[1:])}")
            elif item[0] == "^":
                said.append(f"follows {item[1]}")
            elif item[0] == "+":
                said.append(f"authorize {words[0]} {words[1]}")
            else:
                keeps = [word[1:] for word in words if word[0] == "="]
                words = [word for word in words if word[0] != "="]
                said.append(f"revoke {words[0]} {point(words[1]) if words[1:] else 'none'}" + (" keeps " + " ".join(keeps) if keeps else ""))
        block = "\n".join([f"block {author} {index + 1} {lamport} {label} {previous}"] + said)
        if branch == "0":
            first[author] = block
        else:
            blocks.append(block)
    lines = [f"instance {one} {MEMBERS[one].key.hex()}" for one in sorted(first)]
    return "\n".join(lines + [first[one] for one in sorted(first) if first[one]] + blocks) + "\n"

def point(label):
    """A cut by its label, `A3` or `A3'`; `A1@2` says another index."""
    label, _, other = label.partition("@")
    return f"{other or re.sub('[^0-9]', '', label)} {label}"

class Block:
    """As much of a block as membership depends on."""

    def __init__(self, instance, index, lamport, label, previous):
        self.instance, self.index, self.lamport, self.hash = instance, int(index), int(lamport), sha(label.encode())
        self.time = self.lamport
        self.previous, self.payload = bytes(32) if previous == "-" else sha(previous.encode()), self
        self.controls, self.items, self.label, self.heads, self.unread, self.follows = {}, 0, label, [], False, None

def read(body):
    """The instances by name and the blocks of a vector."""
    keys, ids, blocks = {}, {}, []
    for line in body.strip().split("\n"):
        kind, *words = line.split()
        if kind == "instance":
            keys[words[0]] = bytes.fromhex(words[1])
            ids[words[0]] = instance_id(keys[words[0]])
        elif kind == "block":
            blocks.append(Block(ids[words[0]], *words[1:]))
        elif kind == "head":
            blocks[-1].heads.append((ids[words[0]].bytes, int(words[1]), sha(words[2].encode())))
        elif kind == "follows":
            blocks[-1].follows = keys[words[0]]
        elif kind == "unreadable":
            blocks[-1].unread = True
        else:
            entry = {"control": kind}
            if kind != "change":
                entry["instance"] = ids[words[0]].bytes
            if kind == "authorize":
                entry["role"] = words[1]
            if kind == "revoke":
                words, keeps = (words[:words.index("keeps")], words[words.index("keeps") + 1:]) if "keeps" in words else (words, [])
                cut = (None, None) if words[1] == "none" else (int(words[1]), sha(words[2].encode()))
                entry |= dict(zip(("index", "digest"), cut)) | {"keeps": sorted(ids[one].bytes for one in keeps)}
            blocks[-1].controls[blocks[-1].items] = entry
            blocks[-1].items += 1
    return keys, ids, blocks

def judge(said, body):
    keys, ids, blocks = read(body)
    members = standing(read_proof(bytes.fromhex(said["proof"]), uuid.UUID(said["database"])), blocks)
    labels = {b.hash: b.label for b in blocks}
    labels |= {sha(w.encode()): w for w in re.findall(r"^revoke . \d+ (\S+)", body, re.M)}
    assert len({b.hash for b in blocks}) == len(blocks)
    def cut(c):
        return c if isinstance(c, str) else f"{c[0]} {labels[c[1]]}"
    result = {}
    for name, id in ids.items():
        role, *cuts = members.standings.get(id, UNKNOWN)
        result[f"member-{name}"] = ", ".join([role or "none", *map(cut, cuts)])
    return result | {"held": " ".join(sorted(b.label for b in blocks if not members.entitled(b))) or "none"}

def short(said):
    """What was judged as a case writes it, part by part; who has no role and no cut is left out."""
    parts = {f"held {said['held']}"} - {"held none"}
    for key in said:
        if key.startswith("member-"):
            role, cut, *_ = said[key].split(", ")
            index, _, label = cut.partition(" ")
            number = re.sub("[^0-9]", "", label)
            parts.add(f"{key[7:]} {role}" + (f" {label}" if label else "") + (f"@{index}" if number != index and label else ""))
    return {part for part in parts if not part.endswith(" none")}

def drawn(seed):
    """A script in which admins quarrel at random."""
    rng, tips, lamport = random.Random(seed), {}, {}
    lines = ["F 2: +A admin, +B admin", "A 3: +C admin"]
    for n in range(rng.randrange(4, 14)):
        who = rng.choice("AABBCCDF")
        lamport[who] = max(lamport.get(who, 3), rng.randrange(3, 14)) + 1
        tips[who] = tips.get(who, {"A": 1, "F": 1}.get(who, 0)) + 1
        items = []
        for _ in range(rng.randrange(1, 3)):
            about = rng.choice("ABCDEF")
            cut = rng.choice(["", f" {about}{rng.randrange(0, 3)}", f" {about}{tips.get(about, 0)}"])
            items.append(rng.choice([f"+{about} {rng.choice(['admin', 'admin', 'write', 'read'])}", f"-{about}{cut}"]))
        lines.append(f"{who} {lamport[who]}: {', '.join(items)}")
    return "\n".join(lines)

def drawn_lines(seed):
    """The same with successors, recovery, revocations that keep somebody, and blocks of the future."""
    rng, tips, lamport = random.Random(f"lines {seed}"), {}, {}
    lines = ["F 2: +A admin, +B admin", "A 3: +C admin"]
    pairs = rng.sample(["GA", "HB", "IG", "DC", "EF", "HR", "AB", "IC"], rng.randrange(1, 5))
    for one, before in {p[0]: p[1] for p in pairs}.items():
        lines.append(f"{one}0 1: ^{before}")
    for n in range(rng.randrange(4, 14)):
        who = rng.choice("AABBCCDFGGHHIR")
        lamport[who] = max(lamport.get(who, 3), rng.randrange(3, 14)) + 1
        tips[who] = tips.get(who, {"A": 1, "F": 1}.get(who, 0)) + 1
        items = []
        for _ in range(rng.randrange(1, 3)):
            about = rng.choice("ABCDEFGHIR")
            cut = rng.choice(["", f" {about}{rng.randrange(0, 3)}", f" {about}{tips.get(about, 0)}"])
            keeps = "".join(f" ={one}" for one in rng.sample("ABCDEFGHI", rng.choice([0, 0, 1, 2])))
            items.append(rng.choice([f"+{about} {rng.choice(['admin', 'admin', 'write', 'read'])}", f"-{about}{cut}{keeps}"]))
        if rng.random() < 0.08:
            names = rng.sample([o for o in "ABCDFGH" if o != who], rng.randrange(4))
            items = [f">{one}{rng.randrange(0, 1 + tips.get(one, 0))}" for one in sorted(names)] + ["?"]
        lines.append(f"{who} {lamport[who]}: {', '.join(items)}")
    return "\n".join(lines)

def vectors():
    """Path, header lines, text."""
    for n in range(140):
        body, database = text(drawn(n) if n < 60 else drawn_lines(n)), DATABASE if n < 100 else RECOVERABLE
        facts = {"database": str(database), "proof": PROOFS[database].hex()}
        said = judge(facts, body)
        yield f"member/random-{n:02}.vec", [("name", f"random-{n:02}"), ("expect", "ok"), *facts.items(), *sorted(said.items())], body
    for name, script, expect in cases():
        body, database = text(script), RECOVERABLE if name.startswith("recovery") else DATABASE
        facts = {"database": str(database), "proof": PROOFS[database].hex()}
        said = judge(facts, body)
        got, want = short(said), {part for part in expect.split("; ") if not part.endswith(" none")}
        if got != want:
            raise Bad(f"member/{name}: expected {want}, the reader says {got}")
        yield f"member/{name}.vec", [("name", name), ("expect", "ok"), *facts.items(), *sorted(said.items())], body
