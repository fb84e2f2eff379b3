#!/usr/bin/env python3
"""make_evil.py - malicious archives for an importer of bundles (plain, gz, xz, zst). Needs the zstd CLI.

  make_evil.py corpus OUTDIR [--big]                         fixed corpus, deterministic; writes OUTDIR/manifest.jsonl
                                                             what is evil stands in the manifest too, so that the
                                                             manifest alone does not give it away
  make_evil.py derive BASE OUTDIR [--other BASE2] [--seed N] [--flips N|all] [--comp-flips N] [--max N] [--sample N]
                                                             mutations of a VALID bundle; same manifest format
  make_evil.py run MANIFEST --cmd 'IMPORT {bundle} {store}' [--init 'CMD {store}'] [--dump 'CMD {store}'] [--verify 'CMD {store}']
                   [--base BASE] [--only REGEX] [--timeout 60] [--mem-mb 1024] [--disk-mb 256] [-j N]
                                                             runs an importer on every archive and checks the invariants

Every manifest line: {"file","id","group","expect","attack","must","ref"}.
expect: reject   nothing of the bundle may be imported; exit code != 0; one clear message naming the member
        accept   control case: must import exactly like the base (guards against an importer that rejects all)
        safe     either answer is right, but the invariants below hold (e.g. a flipped bit in tar padding)
        semantic like reject, but depends on sea's own rules (fork, gap, wrong database, unknown mode): see "must"
INVARIANTS checked by `run` for every single archive, whatever it expects:
  I1 no signal, no exit >= 126, no timeout, memory and disk stay under the limits
  I2 nothing outside the store changes (canary files, a canary directory, a canary reachable by the symlinks)
  I3 no device, fifo, socket, symlink, hardlink, setuid bit or foreign owner appears inside the store
  I4 after a refusal the store is logically unchanged: {dump} before == {dump} after, and {verify} succeeds
  I5 after a refusal or acceptance no temporary file is left (*.tmp*, *.part*, .sea-* staging)
  I6 stderr holds no raw control characters from member names (terminal escape injection)
  I7 importing the clean BASE afterwards still works (the store was not poisoned)
"""
import sys, os, io, re, json, random, hashlib, struct, tarfile, subprocess, argparse, shutil, tempfile, gzip, lzma, zipfile, zlib, stat, resource, signal, time
import concurrent.futures as cf
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from make_base import Story, compress
from bundle_vectors import head_of
from sea_bundle import head_text, header, info, place
from sea_writer import Raw, enc, state
B = 512
# ------------------------------------------------------------------ raw tar building
def num(v, n):
    if isinstance(v, bytes): return v.ljust(n, b"\0")[:n]
    if n == 12 and 0 <= v < 8 ** 11: return b"%011o " % v      # as bundles have them, so that nothing but the attack is strange
    if n == 8 and 0 <= v < 8 ** 6: return b"%06o \0" % v
    return (v % (1 << (8 * n)) | (1 << (8 * n - 1))).to_bytes(n, "big") if v >= 0 else (v % (1 << (8 * n))).to_bytes(n, "big")   # base-256
def hdr(name, size=0, typ=b"0", mode=0o644, link=b"", uid=0, gid=0, mtime=1234567890, prefix=b"", magic=b"ustar\x0000", major=0, minor=0, csum=None):
    name = name if isinstance(name, bytes) else name.encode("utf8", "surrogateescape"); link = link if isinstance(link, bytes) else link.encode()
    h = bytearray(name[:100].ljust(100, b"\0") + num(mode, 8) + num(uid, 8) + num(gid, 8) + num(size, 12) + num(mtime, 12) + b" " * 8 + typ
                  + link[:100].ljust(100, b"\0") + magic + bytes(64) + num(major, 8) + num(minor, 8) + prefix[:155].ljust(155, b"\0") + bytes(12))
    h[148:156] = b"%06o\0 " % sum(h) if csum is None else csum
    return bytes(h)
def pad(d): return d + bytes(-len(d) % B)
def f(name, data=b"evil\n", **k): return hdr(name, len(data), **k) + pad(data)
def d(name, mode=0o755): return hdr(name.rstrip("/") + "/", 0, b"5", mode)
def sym(name, to): return hdr(name, 0, b"2", 0o777, to)
def hard(name, to): return hdr(name, 0, b"1", 0o600, to)
def paxrec(k, v):
    k = k if isinstance(k, bytes) else k.encode(); v = v if isinstance(v, bytes) else v.encode("utf8", "surrogateescape"); n = len(k) + len(v) + 3
    l = n + len(str(n)); l = n + len(str(l)); return str(l).encode() + b" " + k + b"=" + v + b"\n"
def pax(recs, typ=b"x", raw=None):
    body = raw if raw is not None else b"".join(paxrec(k, v) for k, v in recs); return f("PaxHeaders/0", body, typ=typ)
def gnulong(name, typ=b"L"): return f("././@LongLink", name + b"\0", typ=typ, magic=b"ustar  \0")
EOF2 = bytes(2 * B)
def setfield(raw, off, lo, hi, val, fix=True):
    h = bytearray(raw[off:off + B]); h[lo:hi] = val.ljust(hi - lo, b"\0")[:hi - lo]
    if fix: h[148:156] = b" " * 8; h[148:156] = b"%06o\0 " % sum(h)
    return raw[:off] + bytes(h) + raw[off + B:]
# ------------------------------------------------------------------ corpus
def entries(raw):
    """Name and content of what a reader that trusts sizes takes for regular files."""
    at = 0
    while at + B <= len(raw):
        name, size, typ = raw[at:at + 100].split(b"\0")[0], raw[at + 124:at + 135], raw[at + 156:at + 157]
        size = int(size, 8) if re.fullmatch(rb"[0-7]{11}", size) else 0
        data = raw[at + B:at + B + size]
        if typ in b"0\0" and len(data) == size: yield name.decode("utf8", "replace"), data
        at += B + -(-size // B) * B
def wrap(raw, story):
    """A bundle whose members are `raw`, all that look like files in its manifest."""
    found = list(entries(raw)); where = [place(n) for n, _ in found]
    facts = dict(databaseID=str(story.database), contentType="org.example.notes", sealed=False, name="field", absentAssets=0, base=[],
                 heads=[head_of(x, story.chains[x.id][-1]) for x in sorted(story.instances, key=lambda x: x.id.bytes)],
                 blocks=sum(-w[3] - w[2] + 1 for w in where if w and w[0] == 3), assets=sum(1 for w in where if w and w[0] == 4),
                 members=len(found), bytes=sum(len(d) for _, d in found)); facts["from"] = str(story.instances[0].id)
    lines = ",\n".join(f'{{"path":{json.dumps(n)},"size":{len(d)},"sha256":"{hashlib.sha256(d).hexdigest()}"}}' for n, d in found)
    text = (head_text(facts) + lines + "\n]}\n").encode()
    return f("MANIFEST.json", text) + raw + f("END", hashlib.sha256(text).hexdigest().encode() + b"\n")
def corpus(out, big):
    os.makedirs(out, exist_ok=True); man = []; story = Story()
    m = {"info.json": info(dict(databaseID=str(story.database), contentType="org.example.notes", sealed=False))} | story.files
    GOOD = b"".join(f(n, m[n]) for n in m)          # the members of a valid bundle
    names = list(m); w0, w1 = sorted(story.instances, key=lambda x: x.id.bytes); i0, i1 = str(w0.id), str(w1.id)
    def tail_len(body): return body + EOF2 + bytes(-(len(body) + 2 * B) % 10240)
    def add(id, group, expect, attack, must, raw=None, ext="tar", data=None, ref="", writer=None):
        p = os.path.join(out, f"{id}.{ext}")
        if writer: writer(p)
        elif data is not None: open(p, "wb").write(data)
        else: open(p, "wb").write(compress(tail_len(wrap(raw, story)), ext if ext in ("tar.gz", "tar.xz", "tar.zst") else "tar"))
        man.append(dict(file=os.path.basename(p), id=id, group=group, expect=expect, attack=attack, must=must, ref=ref))
    R = "refuse the whole bundle before anything is written; name the member; exit != 0"
    # -- controls
    for e in ("tar", "tar.gz", "tar.xz", "tar.zst"): add(f"00-control-{e.split('.')[-1]}", "control", "accept", "valid bundle", "import it", GOOD, e)
    add("00-control-nosort", "control", "reject", "valid members in reverse order", "refuse: order is part of the format", b"".join(f(n, m[n]) for n in reversed(names)))
    # -- path escapes
    g = "path"
    add("01-dotdot", g, "reject", "member ../../../canary/escape", R, GOOD + f("../../../canary/escape"), ref="CWE-22 zip slip")
    add("02-dotdot-inside", g, "reject", "transactions/../../canary/escape", R, GOOD + f("transactions/../../canary/escape"))
    add("03-dotdot-first", g, "reject", "the evil member comes first, the good ones after", R, f("../canary/escape") + GOOD)
    add("04-absolute", g, "reject", "absolute path /tmp/sea-evil-canary/escape", R, GOOD + f("/tmp/sea-evil-canary/escape"), ref="CVE-2001-1267 class")
    add("05-absolute-doubleslash", g, "reject", "//tmp/sea-evil-canary/escape", R, GOOD + f("//tmp/sea-evil-canary/escape"))
    add("06-backslash", g, "reject", r"..\..\canary\escape (Windows separator)", R, GOOD + f("..\\..\\canary\\escape"))
    add("07-drive", g, "reject", "C:escape and C:/escape", R, GOOD + f("C:/escape") + f("C:escape"))
    add("08-pax-path", g, "reject", "harmless ustar name, pax path=../../canary/escape", R, GOOD + pax([("path", "../../canary/escape")]) + f("info2.json"))
    add("09-pax-global-path", g, "reject", "global pax header sets path for all members", R, pax([("path", "../canary/escape")], b"g") + GOOD)
    add("10-gnu-longname", g, "reject", "GNU L entry carries ../ path of 3 KiB", R, GOOD + gnulong(b"../" * 1000 + b"tmp/sea-evil-canary/escape") + f("x"))
    add("11-prefix-escape", g, "reject", "ustar prefix field '..' + name 'canary/escape'", R, GOOD + f("canary/escape", prefix=b".."))
    add("12-dot-names", g, "reject", "members named '.', '..', '', './/', '/'", R, GOOD + f(".") + f("..") + f("") + f(".//") + f("/"))
    add("13-pax-nul", g, "reject", "NUL inside pax path: info.json\\0/../../x", R, GOOD + pax([("path", b"info3.json\0/../../canary/escape")]) + f("x"))
    # -- links
    g = "link"
    add("20-symlink-write", g, "reject", "symlink l -> ../canary, then l/escape", R, GOOD + sym("l", "../canary") + f("l/escape"), ref="CVE-2016-5418 libarchive; CVE-2018-12015")
    add("21-symlink-abs-write", g, "reject", "symlink l -> /tmp/sea-evil-canary, then l/escape", R, GOOD + sym("l", "/tmp/sea-evil-canary") + f("l/escape"))
    add("22-symlink-chain", g, "reject", "a -> b, b -> .., then a/canary/escape", R, GOOD + sym("b", "..") + sym("a", "b") + f("a/canary/escape"))
    add("23-symlink-is-member", g, "reject", "info.json is a symlink to /etc/passwd", R, sym("info.json", "/etc/passwd") + b"".join(f(n, m[n]) for n in names[1:]))
    add("24-symlink-swaps-dir", g, "reject", "transactions/ created, then replaced by a symlink", R, d("transactions") + sym("transactions", "../canary") + GOOD)
    add("25-hardlink-out-read", g, "reject", "hardlink assets/../0 -> /etc/hostname (leaks a local file into the database)", R, GOOD + hard(f"assets/{i0}/1/9", "/etc/passwd"))
    add("26-hardlink-out-write", g, "reject", "hardlink h -> ../canary/file, then a regular member h with new content (overwrites the target)", R, GOOD + hard("h", "../canary/file") + f("h", b"overwritten\n"), ref="CVE-2016-5418; CVE-2021-31566 class")
    add("27-hardlink-inside", g, "reject", "block 5 is a hardlink to block 4 (bundles hold regular files only)", R, b"".join(f(n, m[n]) if not n.endswith("/5") else hard(n, n[:-1] + "4") for n in names))
    add("28-hardlink-with-data", g, "reject", "hardlink entry that also carries data (old pax/cpio style)", R, GOOD + hdr("hd", 5, b"1", 0o600, "info.json") + pad(b"evil\n"))
    add("29-pax-linkpath", g, "reject", "pax linkpath overrides a harmless link target", R, GOOD + pax([("linkpath", "../canary/file")]) + hard("h", "info.json") + f("h", b"overwritten\n"))
    add("2a-twostep-part1", g, "reject", "part 1 plants symlink 's -> ../canary'", R, GOOD + sym("s", "../canary"), ref="CVE-2025-45582 GNU tar two-step")
    add("2b-twostep-part2", g, "reject", "part 2 (import after 2a into the SAME store) writes s/escape", R, GOOD + f("s/escape"), ref="CVE-2025-45582")
    # -- types and modes
    g = "type"; V = f"assets/{i0}/1/7"      # an allowed name, so that the type/size rule itself is what refuses
    add("30-chardev", g, "reject", "character device 1:3", R, GOOD + hdr(V, 0, b"3", 0o666, major=1, minor=3))
    add("31-blockdev", g, "reject", "block device 7:0", R, GOOD + hdr(V, 0, b"4", 0o666, major=7, minor=0))
    add("32-fifo", g, "reject", "fifo named like a block (a reader would hang)", R, GOOD + hdr(f"transactions/{i0}/1/12", 0, b"6", 0o600))
    add("33-unknown-type", g, "reject", "unknown typeflag Z (readers treat it as a file)", R, GOOD + f(V, typ=b"Z"))
    add("34-contiguous", g, "safe", "typeflag 7 (contiguous file) for a good block", "treat as regular file or refuse", b"".join(f(n, m[n], typ=b"7" if n.endswith("/4") else b"0") for n in names))
    add("35-oldstyle-dir", g, "safe", "typeflag \\0 with trailing slash = directory in old tar", "ignore or refuse; never an empty file named 'x/'", GOOD + f("x/", b"", typ=b"\0"))
    add("36-setuid", g, "safe", "mode 06777, uid 0, on a good member", "import the bytes; never the mode, owner, times, xattrs, ACLs", b"".join(f(n, m[n], mode=0o6777) for n in names))
    add("37-dir-mode-000", g, "safe", "directory transactions/ with mode 000", "ignore modes", d("transactions", 0) + GOOD)
    add("38-xattr-acl", g, "safe", "pax SCHILY.xattr.security.capability, SCHILY.acl.access, LIBARCHIVE.xattr", "ignore", pax([("SCHILY.xattr.security.capability", b"\1\0\0\2\xff\xff\xff\xff" + bytes(12)), ("SCHILY.acl.access", "user::rwx,user:root:rwx"), ("LIBARCHIVE.xattr.user.x", "ZXZpbA==")]) + GOOD)
    add("39-appledouble", g, "safe", "._info.json, .DS_Store, Thumbs.db, desktop.ini, @eaDir", "ignore known litter with a warning, or refuse; never parse as a block", GOOD + b"".join(f(x) for x in ("._info.json", ".DS_Store", "Thumbs.db", "desktop.ini", f"transactions/{i0}/1/._3", "@eaDir/x")))
    # -- ambiguity
    g = "ambiguity"
    add("40-dup-identical", g, "safe", "one member twice, same bytes", "either, but count it once", GOOD + f(names[1], m[names[1]]))
    add("41-dup-different", g, "reject", "one member twice, different bytes (first wins? last wins?)", R, GOOD + f(names[1], m[names[1]][:-1] + b"!"))
    add("42-dup-infojson", g, "reject", "two info.json with different databaseID", R, GOOD + f("info.json", m["info.json"].replace(b'"databaseID": "', b'"databaseID": "0')))
    add("43-case-collision", g, "reject", "INFO.JSON beside info.json; upper-case instance folder", R, GOOD + f("INFO.JSON", b"{}") + f(f"TRANSACTIONS/{i0.upper()}/1/0", b"x"))
    add("44-unicode-collision", g, "reject", "same name in NFC and NFD", R, GOOD + f("caf\u00e9") + f("cafe\u0301"), ref="CVE-2021-21300 class (git case/NFD)")
    add("45-file-and-dir", g, "reject", "'transactions' is a file and also a prefix", R, f("transactions") + GOOD)
    add("46-alias-spelling", g, "reject", "./info.json, transactions//x, index 007, +7, 7.0, ' 7'", R, GOOD + f("./info.json", b"{}") + b"".join(f(f"transactions/{i0}/1/{x}", b"x") for x in ("007", "+7", "7.0", " 7", "0x7", "\uff17")))
    add("47-win-names", g, "reject", "CON, NUL.json, 'info.json.', 'info.json ', 'a:b'", R, GOOD + b"".join(f(x) for x in ("CON", "NUL.json", "info.json.", "info.json ", "info.json::$DATA")))
    add("48-control-chars", g, "reject", "newline, ESC]0; title, CR in a member name", R + "; print names escaped", GOOD + f("a\nb\x1b]0;owned\x07\x1b[31m\r"), ref="CVE-2003-0063 class")
    add("49-bad-utf8", g, "reject", "invalid and overlong UTF-8 (c0 ae c0 ae c0 af), lone surrogate ed a0 80", R, GOOD + f(b"\xc0\xae\xc0\xae\xc0\xafescape") + f(b"\xff\xfe") + f(b"\xed\xa0\x80"))
    add("4a-rtl", g, "reject", "right-to-left override and zero-width characters in a name", R, GOOD + f("info\u202enosj.") + f("info\u200b.json"))
    add("4b-long-name", g, "reject", "path of 70 000 bytes; component of 300 bytes", R, GOOD + gnulong(b"d/" * 35000 + b"x") + f("x") + gnulong(b"n" * 300) + f("x"))
    add("4c-deep", g, "reject", "5000 nested folders", R, GOOD + gnulong(b"a/" * 5000 + b"x") + f("x"))
    # -- sizes and headers
    g = "size"
    add("50-size-8EiB", g, "reject", "size 2^63-1 in base-256, no data", R + "; no allocation of that size", GOOD + hdr(V, 2**63 - 1))
    add("51-size-8GiB-octal", g, "reject", "size 77777777777 octal, 0 bytes follow", R, GOOD + hdr(V, 8**11 - 1))
    add("52-size-negative", g, "reject", "negative size in base-256", R, GOOD + hdr(V, -512))
    add("53-size-garbage", g, "reject", "size field '99999999999' (not octal)", R, GOOD + hdr(V, b"99999999999\0"))
    for k, v in enumerate(("18446744073709551616", "-1", "1e3", "0x10", "99999999999999999999999999")): add(f"54-pax-size-{k}", g, "reject", f"pax size={v}", R, GOOD + pax([("size", v)]) + f(V, b"x" * 100))
    add("55-pax-size-differs", g, "reject", "pax size smaller than the ustar size: hidden member inside the data", R, GOOD + pax([("size", "0")]) + hdr(V, 1024) + f("../canary/escape")[:1024])
    add("56-sparse-pax", g, "reject", "GNU.sparse 1.0, realsize 1 EiB", R, GOOD + pax([("GNU.sparse.major", "1"), ("GNU.sparse.minor", "0"), ("GNU.sparse.name", f"assets/{i0}/1/8"), ("GNU.sparse.realsize", str(2**60))]) + f("GNUSparseFile.0/8", b"1\n0\n512\n".ljust(512, b"\0") + b"A" * 512))
    sp = bytearray(hdr(V, 512, b"S", magic=b"ustar  \0")); sp[386:398] = num(0, 12); sp[398:410] = num(512, 12); sp[483:495] = num(2**50, 12); sp[148:156] = b" " * 8; sp[148:156] = b"%06o\0 " % sum(sp)
    add("57-sparse-oldgnu", g, "reject", "old GNU sparse, realsize 1 PiB", R, GOOD + bytes(sp) + b"A" * 512)
    add("58-pax-malformed", g, "reject", "pax records with lying lengths, no newline, no '='", R, GOOD + pax(None, raw=b"99999999999 path=x\n") + f(V) + pax(None, raw=b"5 a\n0 \n-3 q=w\n") + f(f"assets/{i0}/1/8") + pax(None, raw=b"18 path=../canary/e") + f(f"assets/{i0}/1/9"))
    add("59-pax-64MiB", g, "reject", "one pax header of 64 MiB (memory)", R, GOOD + pax([("comment", b"A" * (64 << 20))]) + f(V), ext="tar.gz")
    add("5a-bad-checksum", g, "reject", "wrong header checksum in the middle", R, GOOD + hdr(V, 0, csum=b"000000\0 ") + f(f"assets/{i0}/1/8"))
    add("5b-dangling-longname", g, "reject", "GNU L entry as the last thing before EOF", R, GOOD + gnulong(b"dangling"))
    add("5c-longlink-truncated", g, "reject", "GNU K entry says 1000 bytes, file ends after 100", R, data=wrap(GOOD, story) + hdr("././@LongLink", 1000, b"K", magic=b"ustar  \0") + b"A" * 100, ref="CVE-2024-57970 libarchive <= 3.7.7")
    # -- framing
    g = "framing"; WHOLE = wrap(GOOD, story); full = tail_len(WHOLE)
    add("60-trunc-header", g, "reject", "file ends inside a tar header", R, data=full[:len(WHOLE) - 300 - B])
    add("61-trunc-data", g, "reject", "file ends inside member data", R, data=full[:len(WHOLE) - 700])
    add("62-no-eof", g, "reject", "no end-of-archive blocks (a truncated download at a member boundary looks like this!)", "refuse: a bundle without its end marker is incomplete (or carry a count/manifest inside)", data=WHOLE)
    add("63-one-eof", g, "safe", "one zero block instead of two", "refuse or accept, never partial", data=WHOLE + bytes(B))
    add("64-trailing-garbage", g, "reject", "1 MiB of random bytes after end-of-archive", R, data=full + random.Random(1).randbytes(1 << 20))
    add("65-second-archive", g, "reject", "a second archive after end-of-archive (hidden from some readers)", R, data=full + tail_len(wrap(f("../canary/escape"), story)))
    add("66-empty", g, "reject", "0 bytes", R, data=b"")
    add("67-zeros", g, "reject", "10 240 zero bytes: a valid EMPTY tar", "refuse: no info.json", data=bytes(10240))
    add("68-gz-trunc", g, "reject", "gzip stream cut in the middle", R, ext="tar.gz", data=compress(full, "tar.gz")[:-400])
    add("69-gz-crc", g, "reject", "gzip CRC32 wrong (data intact)", R, ext="tar.gz", data=(lambda z: z[:-8] + bytes([z[-8] ^ 1]) + z[-7:])(compress(full, "tar.gz")))
    add("6a-gz-garbage", g, "reject", "valid gzip followed by garbage", R, ext="tar.gz", data=compress(full, "tar.gz") + b"garbage" * 10)
    add("6b-gz-two-members", g, "safe", "the tar split over two gzip members (legal gzip)", "accept or refuse, never half", ext="tar.gz", data=gzip.compress(full[:5000], mtime=0) + gzip.compress(full[5000:], mtime=0))
    add("6c-xz-trunc", g, "reject", "xz stream without footer", R, ext="tar.xz", data=compress(full, "tar.xz")[:-40])
    add("6d-zst-trunc", g, "reject", "zstd frame cut", R, ext="tar.zst", data=compress(full, "tar.zst")[:-30])
    add("6e-zst-skippable", g, "safe", "zstd skippable frame with a payload before the real frame", "accept or refuse", ext="tar.zst", data=struct.pack("<II", 0x184D2A50, 1000) + bytes(1000) + compress(full, "tar.zst"))
    add("6f-double-gz", g, "reject", "gzip inside gzip (libarchive unwraps filters by itself)", "allow at most one filter: archive_filter_count", ext="tar.gz", data=gzip.compress(compress(full, "tar.gz"), mtime=0))
    z = full
    for _ in range(24): z = gzip.compress(z, mtime=0)
    add("6g-gz-24-deep", g, "reject", "24 nested gzip layers (CPU, libarchive limit is 25)", "allow at most one filter", ext="tar.gz", data=z)
    add("6h-gz-in-xz", g, "reject", "xz around gz around tar", "allow at most one filter", ext="tar.xz", data=lzma.compress(compress(full, "tar.gz")))
    # -- other formats wearing the name
    g = "format"
    zb = io.BytesIO(); zz = zipfile.ZipFile(zb, "w", zipfile.ZIP_DEFLATED); [zz.writestr(zipfile.ZipInfo(n), v) for n, v in [(n, m[n]) for n in names] + [("../canary/escape", b"evil")]]; zz.close()
    add("70-zip-as-tar", g, "reject", "a zip (with zip slip) named .tar", "only tar is a bundle; do not enable other libarchive formats", data=zb.getvalue())
    add("71-tar-zip-polyglot", g, "reject", "valid tar with a zip appended after EOF", R, data=full + zb.getvalue())
    add("72-mtree", g, "reject", "mtree text with contents=/etc/passwd (a list, not an archive; with the checkfs option libarchive looks at LOCAL files)", "only tar; never archive_read_support_format_all()", data=b"#mtree\n./info.json type=file contents=/etc/passwd size=100\n")
    add("73-cpio", g, "reject", "cpio newc", "only tar", data=b"".join(b"070701" + b"%08X" % 1 + b"000081A4" + b"00000000" * 2 + b"00000001" + b"00000000" + b"%08X" % len(v) + b"00000000" * 4 + b"%08X" % (len(k) + 1) + b"00000000" + (k + b"\0").ljust((len(k) + 1 + 110 + 3) // 4 * 4 - 110, b"\0") + v.ljust(-(-len(v) // 4) * 4, b"\0") for k, v in ((b"info.json", b"{}"), (b"TRAILER!!!", b""))))
    add("74-raw-gz-text", g, "reject", "gzip of a text file", "only tar", ext="tar.gz", data=gzip.compress(b"hello\n" * 1000, mtime=0))
    add("75-elf", g, "reject", "an executable", "only tar", data=b"\x7fELF" + bytes(4000))
    add("76-shar-uu", g, "reject", "uuencoded tar (libarchive uu filter)", "enable gzip, xz, zstd filters only", data=b"begin 644 x\n" + b"".join(bytes([32 + len(full[i:i + 45])]) + __import__("binascii").b2a_uu(full[i:i + 45])[1:] for i in range(0, 9000, 45)) + b"`\nend\n")
    # -- resources
    g = "resource"
    def stream(p, gen, comp):
        q = subprocess.Popen(comp, stdin=subprocess.PIPE, stdout=open(p, "wb"))
        for c in gen: q.stdin.write(c)
        q.stdin.close(); assert q.wait() == 0
    def zeros(n):
        yield WHOLE[:-2 * B]; yield hdr(f"assets/{i0}/1/7", n); z = bytes(1 << 20); left = n
        while left > 0: yield z[:min(left, 1 << 20)]; left -= 1 << 20
        yield bytes(-n % B) + EOF2
    G = 1 << (30 if big else 28); T = 1000000 if big else 100000
    add("80-bomb-gz", g, "reject", f"{G >> 20} MiB of zeros in a small gzip", "limit: total bytes, ratio, per-member size, free disk; stop early, clean up", ext="tar.gz", writer=lambda p: stream(p, zeros(G), ["gzip", "-6nc"]))
    add("81-bomb-xz", g, "reject", f"{G >> 20} MiB of zeros in a small xz", "as 80", ext="tar.xz", writer=lambda p: stream(p, zeros(G), ["xz", "-0c"]))
    add("82-bomb-zst", g, "reject", f"{4 * G >> 30} GiB of zeros in a small zstd", "as 80", ext="tar.zst", writer=lambda p: stream(p, zeros(4 * G), ["zstd", "-q", "-c", "-3"]))
    add("83-zst-window-2GiB", g, "reject", "zstd frame that demands a 2 GiB window (--long=31)", "keep the decoder's window limit (8 MiB..128 MiB)", ext="tar.zst", writer=lambda p: stream(p, [full], ["zstd", "-q", "-c", "--ultra", "-22", "--long=31", "--zstd=wlog=31"]))
    add("84-xz-dict-1GiB", g, "reject", "xz that demands a 1.5 GiB dictionary", "memory limit", ext="tar.xz", writer=lambda p: stream(p, [full], ["xz", "-c", "--memlimit-compress=0", "--lzma2=preset=0,dict=1536MiB,mf=hc3"]) if big else open(p, "wb").write(xz_dict(full)))
    def many(n):
        yield WHOLE[:-2 * B]
        for k in range(n): yield hdr(f"transactions/{i0}/{k//1000+1}/{k}x", 0)
        yield EOF2
    add("85-million-entries", g, "reject", f"{T} empty members", "limit on member count or O(1) memory per member", ext="tar.gz", writer=lambda p: stream(p, many(T), ["gzip", "-1nc"]))
    add("86-many-dirs", g, "reject", f"{T // 5} directories", "directories are ignored; count them against the limit", ext="tar.gz", writer=lambda p: stream(p, (d(f"d/{k}") for k in range(T // 5)), ["gzip", "-1nc"]))
    # -- sea's own rules: the bundle is in order, a block or an asset in it is not
    g = "sea"; key = lambda i, k: f"transactions/{i}/1/{k}"
    sha = lambda b: hashlib.sha256(b).digest(); c0 = story.chains[w0.id]; put = lambda n: ["hostile", "note", None, [], "put", {"n": n}]
    def repl(**ch): mm = dict(m); mm.update({k.replace("|", "/"): v for k, v in ch.items() if v is not None}); [mm.pop(k) for k, v in ch.items() if v is None]; return b"".join(f(n, mm[n]) for n in mm)
    S = lambda id, attack, must, raw, expect="semantic", ext="tar": add(id, g, expect, attack, must, raw, ext)
    five = lambda **o: repl(**{key(i0, 5): w0.block(o.pop("items", [put(1)]), o.pop("after", state(c0[4])), **({"lamport": state(c0[5])[1]} | o))})
    last = lambda **o: repl(**{key(i0, 11): w0.block(o.pop("items", [put(2)]), state(c0[10]), **({"lamport": state(c0[11])[1]} | o))})
    S("90-no-info", "info.json missing", "refuse", repl(**{"info.json": None}), "reject")
    o = Story(99, 1, 5); foreign = b"".join(f(n, d) for n, d in o.files.items()); its = f("info.json", info(dict(databaseID=str(o.database), contentType="org.example.notes", sealed=False)))
    add("91-other-database", g, "reject", "a good bundle of another database", "refuse: databaseID differs", data=tail_len(wrap(its + foreign, o)))
    S("92-other-blocks", "our info.json, another database's blocks", "refuse: they do not verify here", f("info.json", m["info.json"]) + foreign, "reject")
    S("93-gap", "block 5 of an instance missing", "refuse, or import what is before it and wait", repl(**{key(i0, 5): None}))
    S("94-fork", "block 11 of an instance is another one that verifies (cloned device)", "keep both, report the fork, lose nothing", last())
    S("95-bad-prev", "block 5 with a wrong previous hash", "refuse", five(previous=bytes(32)), "reject")
    S("96-bad-datasum", "block 5 with a wrong data checksum", "refuse", five(data=bytes(32)), "reject")
    S("97-size-field", "size field smaller than the payload", "refuse", five(size=1), "reject")
    S("97-heads-field", "more heads than the payload has room for", "refuse without taking the memory", five(count=2**32 - 1), "reject")
    S("97-size-field-max", "size field 2^32-1", "refuse without taking the memory", five(size=2**32 - 1), "reject")
    S("98-index-mismatch", "file .../5 holds block 6", "refuse", five(index=6), "reject")
    S("99-unknown-mode", "mode byte 0xF0", "refuse, or keep without interpreting", last(mode=0xF0))
    S("9a-lamport-max", "Lamport time 0xFFFFFFFF (clock poisoning)", "must not drag the local clock to its end", last(lamport=2**32 - 1))
    S("9b-lamport-backwards", "Lamport time smaller than the predecessor's", "refuse", last(lamport=1), "reject")
    S("9c-index-max", "a block with index 0xFFFFFFFF", "refuse (gap) without 2^32 of anything", repl(**{f"transactions/{i0}/4/4/294/967/295": w0.block([put(3)], state(c0[11]), index=2**32 - 1)}))
    S("9d-other-endian", "headers in the other byte order", "refuse", repl(**{key(i0, k): b[:4] + b"".join(b[p:p + 4][::-1] for p in (4, 8, 12, 16)) + b[20:] for k, b in enumerate(c0)}), "reject")
    S("9e-trailing-bytes", "valid block and 1 byte more", "refuse", repl(**{key(i0, 5): c0[5] + b"\0"}), "reject")
    S("9f-short-block", "83-byte block", "refuse: nothing is still arriving in a bundle", repl(**{key(i0, 11): c0[11][:83]}), "reject")
    S("9f-empty-block", "empty block", "refuse", repl(**{key(i1, 11): b""}), "reject")
    S("9g-conflict-copies", "'5 (conflicted copy 2026-01-01)', '5.sync-conflict-20260101-120000-ABCDEFG', '5 2', '5~', '.#5'", "never an index", GOOD + b"".join(f(key(i0, x), c0[5]) for x in ("5 (conflicted copy 2026-01-01)", "5.sync-conflict-20260101-120000-ABCDEFG", "5 2", "5~", ".#5")), "reject")
    S("9h-asset-mismatch", "asset bytes do not match the checksum in the record", "never hand them out as the asset", repl(**{f"assets/{i0}/1/3": b"not it"}))
    S("9i-deep", "payload nested 100 000 levels", "bounded decoder: error, no crash", last(content=b"\x81" * 100000 + b"\x80"), "reject")
    S("9i-many-keys", "payload of 10^6 keys", "bounded decoder", last(content=b"\xba" + struct.pack(">I", 10**6) + b"".join(b"%c%d\1" % (0x60 + len(str(x)), x) for x in range(10**6))), "reject", "tar.gz")
    S("9i-long-array", "an array that says it has 2^60 items", "no allocation of that size", last(content=b"\xa2\x64time\x00\x67changes\x9b" + struct.pack(">Q", 2**60)), "reject")
    S("9j-duplicate-keys", "payload with one key twice", "refuse", last(content=b"\xa2" + (enc("time") + b"\0") * 2), "reject")
    S("9j-nan", "a body with NaN", "refuse", last(items=[["hostile", "note", None, [], "put", Raw(b"\xa1\x61x\xf9\x7e\0")]]), "reject")
    S("9j-bad-utf8", "an id that is no UTF-8", "refuse", last(items=[[Raw(b"\x62\xc3\x28"), "note", None, [], "put", {}]]), "reject")
    S("9j-escape", "an id and a text with escape codes", "the id is refused, a text never reaches a terminal as it is", last(items=[["a\x1b[31m", "note", None, [], "put", {"t": "\x1b]0;owned\x07"}]]), "reject")
    S("9k-info-huge", "info.json of 32 MiB", "refuse", f("info.json", b'{"databaseID":"' + b"a" * (32 << 20) + b'"}') + b"".join(f(n, m[n]) for n in names[1:]), "reject", ext="tar.gz")
    slots = {f"keys/{hashlib.sha256(x).hexdigest()}": x for x in (b"", b"\xff" * 100, b"\0" * 65536)}
    S("9l-slots", "slots of a plain database that are none", "pass them over, or refuse", f("info.json", m["info.json"]) + b"".join(f(n, slots[n]) for n in sorted(slots)) + b"".join(f(n, m[n]) for n in names[1:]))
    S("9m-request", "a join request that is none", "pass it over, or refuse", f("info.json", m["info.json"]) + f(f"requests/{i1}", b"\xff" * 70000) + b"".join(f(n, m[n]) for n in names[1:]))
    S("9n-hook", "a hook in backup/", "never run, never installed by import", GOOD + f("backup/config", b"[core]\n\thook = true\n") + f("backup/hooks/post-import", b"#!/bin/sh\ntouch ../canary/escape\n", mode=0o644))
    open(os.path.join(out, "manifest.jsonl"), "w").write("".join(json.dumps(x) + "\n" for x in man))
    sums = "".join(f"{hashlib.sha256(open(os.path.join(out, x['file']), 'rb').read()).hexdigest()}  {x['file']}\n" for x in man); open(os.path.join(out, "SHA256SUMS"), "w").write(sums)
    from collections import Counter
    print(f"{len(man)} archives, {sum(os.path.getsize(os.path.join(out, x['file'])) for x in man)/1e6:.1f} MB;", dict(Counter(x["expect"] for x in man)), dict(Counter(x["group"] for x in man)))
def xz_dict(raw):
    """a real xz stream whose LZMA2 filter header is patched to claim a 1.5 GiB dictionary (byte 39), header CRC fixed"""
    z = bytearray(lzma.compress(raw, preset=0)); hs = (z[12] + 1) * 4; i = z.index(b"\x21\x01", 12, 12 + hs); z[i + 2] = 39
    z[12 + hs - 4:12 + hs] = struct.pack("<I", zlib.crc32(bytes(z[12:12 + hs - 4]))); return bytes(z)
# ------------------------------------------------------------------ derive
def load(p):
    raw = open(p, "rb").read()
    if raw[:2] == b"\x1f\x8b": return gzip.decompress(raw), "tar.gz"
    if raw[:6] == b"\xfd7zXZ\0": return lzma.decompress(raw), "tar.xz"
    if raw[:4] == b"\x28\xb5\x2f\xfd": return subprocess.run(["zstd", "-dqc"], input=raw, stdout=subprocess.PIPE, check=True).stdout, "tar.zst"
    return raw, "tar"
def members(raw):
    """[(name, header offset incl. extension headers, end offset, main header offset, size, type)]"""
    out = []; t = tarfile.open(fileobj=io.BytesIO(raw)); prev = 0
    for i in t:
        end = i.offset_data + (-(-i.size // B) * B if i.isreg() else 0); out.append((i.name, i.offset, end, i.offset_data - B, i.size, i.type))
    return out
def derive(base, out, other, seed, flips, cflips, mx, sample):
    raw, ext = load(base); comp0 = open(base, "rb").read(); ms = members(raw); r = random.Random(seed); os.makedirs(out, exist_ok=True); man = []; bodyend = ms[-1][2]
    seg = [raw[a:b] for _, a, b, *_ in ms]; tail = raw[bodyend:]
    made = []
    def put(kind, detail, expect, must, data=None, comp=None): made.append((kind, detail, expect, must, data, comp))
    J = lambda s: b"".join(s) + tail
    put("identity", "unchanged", "accept", "import", raw)
    put("recompressed", "same tar, compressed again", "accept", "import", raw)
    # order, presence, repetition
    put("reverse", "members reversed", "safe", "same result as the base, or refuse", J(seg[::-1]))
    for k in range(5): s = seg[:]; r.shuffle(s); put("shuffle", f"random order {k}", "safe", "same result as the base, or refuse", J(s))
    for i in range(len(seg)): put("drop", f"member {ms[i][0]} missing", "semantic", "gap reported, nothing lost", J(seg[:i] + seg[i + 1:]))
    for i in range(len(seg)): put("dup", f"member {ms[i][0]} twice, same bytes", "safe", "once", J(seg[:i] + [seg[i]] + seg[i:]))
    for i in range(len(seg)):
        h, e = ms[i][3], ms[i][2]; body = bytearray(raw[h + B:e])
        if ms[i][4]: body[r.randrange(ms[i][4])] ^= 1 << r.randrange(8); put("dup-different", f"member {ms[i][0]} twice, second differs in one bit", "reject", "refuse", J(seg + [raw[ms[i][1]:h + B] + bytes(body)]))
    for i in range(len(seg) - 1):
        a, b = ms[i], ms[i + 1]
        if a[4] != b[4] or a[0] == b[0]:
            na = raw[a[3]:a[3] + B]; nb = raw[b[3]:b[3] + B]
            sa = setfield(setfield(na, 0, 0, 100, nb[:100]), 0, 345, 500, nb[345:500]); sb = setfield(setfield(nb, 0, 0, 100, na[:100]), 0, 345, 500, na[345:500])
            put("swap-names", f"{a[0]} <-> {b[0]}", "semantic", "index/prev mismatch found", J(seg[:i] + [raw[a[1]:a[3]] + sa + raw[a[3] + B:a[2]], raw[b[1]:b[3]] + sb + raw[b[3] + B:b[2]]] + seg[i + 2:]))
    # every type, evil names, evil sizes for every member, header checksum repaired
    for i, (n, a, e, h, sz, ty) in enumerate(ms):
        for t in b"123456789LKSxgVMNZ\0": put("type", f"{n}: typeflag {chr(t)!r}", "safe" if t in b"7\0" else "reject", "refuse all but regular files", setfield(raw, h, 156, 157, bytes([t])))
        for nm in (b"../canary/escape", b"/tmp/sea-evil-canary/escape", b"", b".", b"..", b"a\0b", b"\xff\xfe", n.encode()[:60] + b"/", b"./" + n.encode()[:90], n.upper().encode()[:100], n.encode()[:90] + b" (conflicted copy)"): put("name", f"{n}: renamed {nm!r}", "reject" if nm[:2] in (b"..", b"/t") or nm in (b"", b".") else "semantic", "refuse / litter", setfield(raw, h, 0, 100, nm))
        for v in (0, 1, sz - 1, sz + 1, sz + 512, 8**11 - 1, 2**31, 2**32, 2**63 - 1, 2**63, 2**64 - 1, -1, -512):
            if v != sz: put("size", f"{n}: size field {v}", "safe" if -(-max(v, 0) // B) == -(-sz // B) else "reject", "refuse, or find the damage by checksum", setfield(raw, h, 124, 136, num(v, 12)))
        put("badsum", f"{n}: header checksum off by one", "reject", "refuse", raw[:h + 154] + bytes([raw[h + 154] ^ 1]) + raw[h + 155:])
        for k, v in (("path", "../canary/escape"), ("size", str(sz + 1)), ("size", "-1"), ("linkpath", "/etc/passwd"), ("GNU.sparse.realsize", str(2**60)), ("hdrcharset", "BINARY")): put("pax", f"{n}: preceded by pax {k}={v}", "safe" if k in ("hdrcharset", "linkpath") else "reject", "refuse", raw[:a] + pax([(k, v)]) + raw[a:])
    # additions
    for nm, x in (("extra-unknown", f("unknown.txt")), ("extra-dotdot", f("../canary/escape")), ("extra-symlink", sym("s", "../canary") + f("s/escape")), ("extra-hardlink", hard("h", "../canary/file") + f("h", b"overwritten\n")), ("extra-fifo", hdr("p", 0, b"6")), ("extra-dir", d("newdir"))):
        for pos in (0, len(seg) // 2, len(seg)): put(nm, f"{nm} at position {pos}", "safe" if nm in ("extra-dir", "extra-unknown") else "reject", "refuse", J(seg[:pos] + [x] + seg[pos:]))
    # framing
    for cut in range(0, len(raw), B): put("trunc512", f"tar cut at {cut}", "reject" if cut <= bodyend else "safe", "refuse: incomplete", raw[:cut])
    for _ in range(64): cut = r.randrange(len(raw)); put("truncany", f"tar cut at {cut}", "reject" if cut <= bodyend else "safe", "refuse: incomplete", raw[:cut])
    put("no-eof", "without end-of-archive blocks", "reject", "refuse", raw[:bodyend]); put("twice", "archive concatenated with itself", "reject", "refuse or once", raw + raw); put("glue", "bodies concatenated before EOF", "safe", "once", raw[:bodyend] + raw)
    put("garbage", "random bytes after EOF", "reject", "refuse", raw + r.randbytes(5000)); put("prefix-garbage", "random bytes before", "reject", "refuse", r.randbytes(512) + raw)
    # bit flips: in the tar (recompressed, so the compressor's CRC does not hide them) and in the compressed file
    def where(p):
        for n, a, e, h, sz, ty in ms:
            if a <= p < h + B: return f"header of {n} +{p-h}", "safe"
            if h + B <= p < h + B + sz: return f"data of {n} +{p-h-B}", "reject"
            if p < e: return f"padding of {n}", "safe"
        return "after the last member", "safe"
    pos = range(len(raw)) if flips == "all" else sorted(r.sample(range(min(len(raw), bodyend + 1024)), min(int(flips), bodyend)))
    for p in pos:
        w, ex = where(p); bit = 1 << r.randrange(8); put("flip", f"byte {p} ^ {bit:#04x} ({w})", ex, "data flips must be found; header flips must not be believed", raw[:p] + bytes([raw[p] ^ bit]) + raw[p + 1:])
    if ext != "tar":
        for p in sorted(r.sample(range(len(comp0)), min(cflips, len(comp0)))): put("cflip", f"compressed byte {p}", "safe", "refuse, or (unused header bits) the same result as the base", comp=comp0[:p] + bytes([comp0[p] ^ (1 << r.randrange(8))]) + comp0[p + 1:])
        for p in sorted(r.sample(range(len(comp0)), min(64, len(comp0)))): put("ctrunc", f"compressed file cut at {p}", "reject", "refuse", comp=comp0[:p])
        put("cdouble", "compressed twice", "reject", "one filter only", comp=compress(comp0, ext)); put("cgarbage", "compressed file + garbage", "reject", "refuse", comp=comp0 + b"\0garbage" * 20); put("cconcat", "two compressed copies", "reject", "refuse or once", comp=comp0 + comp0)
    if other:
        raw2, _ = load(other); m2 = members(raw2); seg2 = [raw2[a:b] for _, a, b, *_ in m2]
        put("foreign-all", "the other bundle under this name", "semantic", "another database", raw2); put("foreign-mix", "both bodies in one archive", "semantic", "refuse", J(seg + seg2)); put("foreign-info", "other info.json, our blocks", "semantic", "refuse", J([s for s, x in zip(seg2, m2) if x[0].endswith("info.json")] + [s for s, x in zip(seg, ms) if not x[0].endswith("info.json")]))
    if sample: made = made[:2] + [made[k] for k in sorted(random.Random(seed).sample(range(2, len(made)), min(sample, len(made) - 2)))]
    for kind, detail, expect, must, data, comp in made[:mx or None]:
        p = f"{len(man):06d}-{kind}.{ext}"; open(os.path.join(out, p), "wb").write(comp if comp is not None else compress(data, ext)); man.append(dict(file=p, id=p, group=kind, expect=expect, attack=detail, must=must, ref=os.path.basename(base)))
    open(os.path.join(out, "manifest.jsonl"), "w").write("".join(json.dumps(x) + "\n" for x in man)); print(f"{len(man)} mutations of {base} ({len(ms)} members, {len(raw)} bytes)")
# ------------------------------------------------------------------ run an importer over a manifest
def listing(p):
    """(type, mode, size, links, relative path) of everything below p; find(1) copes with names and depths os.walk cannot"""
    o = subprocess.run(["find", p, "-mindepth", "1", "-printf", "%y\\t%m\\t%s\\t%n\\t%P\\0"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout
    for r in o.split(b"\0"):
        if r: y, m, sz, n, q = r.split(b"\t", 4); yield y.decode(), int(m, 8), int(sz), int(n), q
def tree(p):
    h = hashlib.sha256()
    for y, m, sz, n, q in sorted(listing(p), key=lambda x: x[4]):
        h.update(b"%s %o %d %d %s\n" % (y.encode(), m, 0 if y == "d" else sz, 0 if y == "d" else n, q))
        if y == "f":
            try: h.update(open(os.fsencode(p) + b"/" + q, "rb").read())
            except OSError: pass
    return h.hexdigest()
import threading
BEFORE = {}                 # what --dump says of a store that --init has just made: the same each time
ABS = threading.Lock()      # archives that aim at the shared absolute canary run one at a time
def run_one(e, a, mdir):
    if "/tmp" in e["attack"] or "tmp/sea" in e["attack"] or "L entry" in e["attack"]:
        with ABS: subprocess.run("rm -rf /tmp/sea-evil-canary; mkdir /tmp/sea-evil-canary", shell=True); r = run_one_(e, a, mdir); subprocess.run(["rm", "-rf", "/tmp/sea-evil-canary"]); return r
    return run_one_(e, a, mdir)
def run_one_(e, a, mdir):
    sb = tempfile.mkdtemp(prefix="evil."); bad = []
    try:
        os.makedirs(f"{sb}/a/b/canary"); open(f"{sb}/a/b/canary/file", "w").write("canary\n"); store = f"{sb}/a/b/store"; os.mkdir(store); os.makedirs(f"{sb}/a/canary"); os.makedirs(f"{sb}/canary")
        env = dict(os.environ, HOME=f"{sb}/home", TMPDIR=f"{sb}/tmp"); os.mkdir(f"{sb}/home"); os.mkdir(f"{sb}/tmp")
        sh = lambda c, **k: subprocess.run(c.replace("{store}", store).replace("{bundle}", k.pop("bundle", "")), shell=True, cwd=f"{sb}/a/b", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **k)
        if a.init: assert sh(a.init).returncode == 0
        def outside():
            """what is not the store, its home and its temporary folder: names, kinds, and the bytes of files"""
            found = []
            for y, m, sz, n, q in listing(sb):
                if not q.startswith((b"a/b/store/", b"home", b"tmp")): found.append((q, y, m) if y == "d" else (q, y, m, n, sz, open(os.fsencode(sb) + b"/" + q, "rb").read() if y == "f" else b""))
            return sorted(found), ("tmp" in e["attack"] or "L entry" in e["attack"]) and os.path.exists("/tmp/sea-evil-canary/escape")
        dump = lambda: sh(a.dump).stdout if a.dump else tree(store)
        if a.init not in BEFORE: BEFORE[a.init] = dump()
        before, o0 = BEFORE[a.init] if a.init and a.dump else dump(), outside(); bundle = os.path.join(mdir, e["file"]); t0 = time.time()
        def lim():
            os.setsid(); resource.setrlimit(resource.RLIMIT_AS, (a.mem_mb << 20,) * 2); resource.setrlimit(resource.RLIMIT_FSIZE, (a.disk_mb << 20,) * 2); resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        p = subprocess.Popen(a.cmd.replace("{store}", store).replace("{bundle}", bundle), shell=True, cwd=f"{sb}/a/b", env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=lim)
        try: so, se = p.communicate(timeout=a.timeout); rc = p.returncode
        except subprocess.TimeoutExpired: os.killpg(p.pid, signal.SIGKILL); so, se = p.communicate(); rc = 124; bad.append("I1 timeout")
        if rc < 0 or rc >= 126: bad.append(f"I1 died with {rc}: {se[-200:]!r}")
        if outside() != o0: bad.append("I2 wrote outside the store")
        n = 0
        for y, m, sz, nl, q in listing(store):
            n += sz; x = q.rsplit(b"/", 1)[-1].decode("utf8", "backslashreplace")
            if y not in "fd": bad.append(f"I3 special file {x!r}")
            elif m & 0o6000 or (y == "f" and nl > 1): bad.append(f"I3 mode/links {x!r}")
            if re.search(r"\.tmp|\.part|^\.sea-|staging", x): bad.append(f"I5 leftover {x!r}")
        if n > a.disk_mb << 20: bad.append(f"I1 disk {n>>20} MiB")
        if any(y == "f" for y, *_ in listing(f"{sb}/tmp")): bad.append("I5 leftover in TMPDIR")
        if rc:
            if dump() != before: bad.append("I4 store changed although refused")
            if not se.strip() and rc != 124: bad.append("no message")
        if re.search(rb"[\x00-\x08\x0b-\x1f\x7f]", se): bad.append("I6 control characters on stderr")
        if a.verify and sh(a.verify).returncode: bad.append("I4 verify failed")
        if e["expect"] == "reject" and rc == 0: bad.append("ACCEPTED, must reject")
        if e["expect"] == "accept" and rc: bad.append(f"REJECTED, must accept: {se[-160:]!r}")
        if a.base and not bad and e["id"] != "94-fork":     # after a fork every import tells of it, with a status of its own
            q = sh(a.cmd, bundle=a.base, timeout=a.timeout)
            if q.returncode: bad.append(f"I7 clean base refused afterwards: {q.stderr[-160:]!r}")
        return e, rc, time.time() - t0, bad, se
    finally:
        shutil.rmtree(sb, ignore_errors=True)
        if os.path.exists(sb): subprocess.run(["chmod", "-R", "u+rwX", sb], stderr=subprocess.DEVNULL); subprocess.run(["rm", "-rf", sb], stderr=subprocess.DEVNULL)
def run(a):
    mdir = os.path.dirname(os.path.abspath(a.manifest)); es = [json.loads(l) for l in open(a.manifest)]; es = [e for e in es if not a.only or re.search(a.only, e["file"] + " " + e["group"])]
    if a.base: a.base = os.path.abspath(a.base)
    nbad = 0; slow = 0; res = {}
    with cf.ThreadPoolExecutor(a.j) as ex:
        for e, rc, dt, bad, se in ex.map(lambda e: run_one(e, a, mdir), es):
            res[(e["expect"], "refused" if rc else "imported")] = res.get((e["expect"], "refused" if rc else "imported"), 0) + 1; slow = max(slow, dt)
            if bad: nbad += 1; print(f"BAD {e['file']} [{e['attack'][:70]}] rc={rc}: {'; '.join(bad)[:400]}")
            elif a.v: print(f"ok  {e['file']:34s} rc={rc} {dt:.2f}s {se.decode('utf8','replace').strip()[-110:]}")
    print(f"{len(es)} archives, {nbad} with violations; {res}; slowest {slow:.1f} s"); return 1 if nbad else 0
def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); sp = ap.add_subparsers(dest="c", required=True)
    c = sp.add_parser("corpus"); c.add_argument("out"); c.add_argument("--big", action="store_true")
    v = sp.add_parser("derive"); v.add_argument("base"); v.add_argument("out"); v.add_argument("--other"); v.add_argument("--seed", type=int, default=1); v.add_argument("--flips", default="400"); v.add_argument("--comp-flips", type=int, default=200); v.add_argument("--max", type=int, default=0); v.add_argument("--sample", type=int, default=0)
    r = sp.add_parser("run"); r.add_argument("manifest"); r.add_argument("--cmd", required=True); r.add_argument("--init"); r.add_argument("--dump"); r.add_argument("--verify"); r.add_argument("--base"); r.add_argument("--only"); r.add_argument("--timeout", type=int, default=60); r.add_argument("--mem-mb", type=int, default=1024); r.add_argument("--disk-mb", type=int, default=256); r.add_argument("-j", type=int, default=2); r.add_argument("-v", action="store_true")
    a = ap.parse_args()
    if a.c == "corpus": corpus(a.out, a.big)
    elif a.c == "derive": derive(a.base, a.out, a.other, a.seed, a.flips, a.comp_flips, a.max, a.sample)
    else: sys.exit(run(a))
if __name__ == "__main__": main()
