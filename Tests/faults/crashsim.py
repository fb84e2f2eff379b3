#!/usr/bin/env python3
"""crashsim.py - small ALICE-style crash-consistency explorer (stdlib only, Linux x86-64/arm64, strace >= 5).

  crashsim.py record  -w WORKDIR -o TRACE -- CMD...      run CMD under strace; WORKDIR is snapshotted first
  crashsim.py explore -t TRACE -c CHECKER.py [options]   replay every legal crash state and run CHECKER in it

RECORD copies WORKDIR to TRACE.init (the state before the run) and writes the syscall log to TRACE.
EXPLORE rebuilds, from TRACE.init and the log, the states that the *disk* may hold after a crash:
  prefix     everything up to call i, in order            (= kill -9 at that point: page cache survives)
  min        only what fsync/fdatasync already forced     (= power loss, nothing else was written back)
  meta       all directory operations, unforced data lost (= "zero length after rename")
  data       all data, unforced directory operations lost (= "file vanished although fsync'ed")
  drop1      prefix minus one unforced operation          (= reordering, one victim)
  keep1      min plus one unforced operation              (= reordering, one survivor)
  torn       prefix with one unforced write cut at a 512-byte boundary, or replaced by zeros
  randN      N seeded random subsets of the unforced operations
Rules of the model (deliberately the weakest POSIX): fsync(file) forces that file's earlier data, NOT its
name; fsync(dir) forces that directory's earlier entries; rename is atomic; nothing else is ordered.
Anything the program printed to stdout/stderr before the crash point is a PROMISE: CHECKER gets it.

CHECKER is a Python program whose main(dir, out) is called (judge.py); dir = the crash state (a throw-away copy, may be
modified), out = file with the text printed before the crash. It returns if all is well. Everything else is a violation.
A good checker for sea: (1) `sea fsck` accepts, (2) every id in {out} is readable byte for byte,
(3) running recovery twice gives the same tree, (4) a new commit works afterwards.
Exit status of explore: 0 = no violation, 1 = violations, 2 = the log holds a call this model cannot replay.
"""
import sys, os, re, argparse, subprocess, shutil, hashlib, random, tempfile, collections
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from judge import Judge
CALLS = ("open,openat,openat2,creat,close,dup,dup2,dup3,fcntl,lseek,read,readv,write,writev,pwrite64,pwritev,pwritev2,"
         "ftruncate,truncate,fallocate,rename,renameat,renameat2,link,linkat,symlink,symlinkat,unlink,unlinkat,"
         "mkdir,mkdirat,rmdir,fsync,fdatasync,sync,syncfs,msync,mmap,copy_file_range,sendfile,splice,ioctl,"
         "chdir,fchdir,clone,clone3,fork,vfork,execve,io_uring_setup")

# ---------------------------------------------------------------- strace text -> (pid, name, args, ret)
STR = re.compile(r'"((?:\\x[0-9a-f]{2})*)"(\.\.\.)?')
def unhex(s): return bytes.fromhex(s.replace("\\x", ""))
def split_args(s):
    out, depth, cur, q, i = [], 0, "", False, 0
    while i < len(s):
        c = s[i]
        if q: cur += c; q = not (c == '"')
        elif c == '"': q = True; cur += c
        elif c in "([{<": depth += 1; cur += c
        elif c in ")]}>" and not (c == ">" and cur.endswith("=")): depth -= 1; cur += c
        elif c == "," and depth == 0: out.append(cur.strip()); cur = ""
        else: cur += c
        i += 1
    if cur.strip(): out.append(cur.strip())
    return out
def calls(path):
    pend = {}
    with open(path, errors="surrogateescape") as f:
        for ln in f:
            m = re.match(r"^(\d+)\s+(.*)$", ln.rstrip("\n"))
            if not m: continue
            pid, t = int(m[1]), m[2]
            if t.startswith(("+++", "---")): continue
            if t.endswith("<unfinished ...>"): pend[pid] = t[:-len("<unfinished ...>")]; continue
            r = re.match(r"^<\.\.\. \w+ resumed>(.*)$", t)
            if r: t = pend.pop(pid, "") + r[1]
            m = re.match(r"^(\w+)\((.*)\)\s+= (-?\d+|\?|0x[0-9a-f]+)(.*)$", t)
            if not m: continue
            yield pid, m[1], split_args(m[2]), m[3], m[4]
def fdarg(a):
    m = re.match(r"^(-?\d+|AT_FDCWD)(?:<(.*)>)?(\(deleted\))?$", a)
    if not m: return None, None, False
    p = m[2]
    if p is not None: p = unhex(p).decode("utf8", "surrogateescape") if p.startswith("\\x") else re.sub(r"\\x([0-9a-f]{2})", lambda k: chr(int(k[1], 16)), p)
    dele = bool(m[3]) or (p or "").endswith(" (deleted)")
    return (None if m[1] == "AT_FDCWD" else int(m[1])), p, dele
def sarg(a):
    m = STR.search(a)
    if not m: return None
    if m[2]: raise SystemExit("crashsim: truncated string in log (raise strace -s)")
    return unhex(m[1])
class Unsupported(Exception): pass

# ---------------------------------------------------------------- log -> list of operations on inodes
class Op:
    __slots__ = ("k", "ino", "d", "a", "src", "calls")
    def __init__(self, k, ino=None, d=(), **a): self.k, self.ino, self.d, self.a = k, ino, tuple(d), a; self.calls = ""
    def __repr__(s): return f"{s.k}{s.ino if s.ino is not None else ''}{ {k:(v if not isinstance(v, bytes) else f'{len(v)}B') for k,v in s.a.items()} }"
class Model:
    """inode table: ino -> ('f', bytearray) | ('d', {name: ino}) | ('l', target)"""
    def __init__(s, root):
        s.t = {0: ("d", {})}; s.n = 1; s._load(root, 0)
    def _load(s, p, d):
        for e in sorted(os.scandir(p), key=lambda e: e.name):
            i = s.n; s.n += 1
            if e.is_symlink(): s.t[i] = ("l", os.readlink(e.path))
            elif e.is_dir(): s.t[i] = ("d", {}); s._load(e.path, i)
            else: s.t[i] = ("f", bytearray(open(e.path, "rb").read()))
            s.t[d][1][e.name] = i
    def walk(s, parts):
        i = 0
        for p in parts:
            if s.t[i][0] != "d" or p not in s.t[i][1]: return None
            i = s.t[i][1][p]
        return i
def build(trace):
    meta = dict(l.rstrip("\n").split("=", 1) for l in open(trace + ".meta"))
    W, cwd0 = meta["workdir"], meta["cwd"]
    M = Model(trace + ".init"); ops = []; fds = collections.defaultdict(dict); cwd = collections.defaultdict(lambda: cwd0); proc = {}
    warn = []
    P = lambda pid: proc.get(pid, pid)
    def rel(path):
        p = os.path.normpath(path)
        if p == W: return []
        return p[len(W) + 1:].split("/") if p.startswith(W + "/") else None
    def absn(pid, base, s):
        s = s.decode("utf8", "surrogateescape")
        if s.startswith("/proc/self/fd/"): raise Unsupported("O_TMPFILE/linkat via /proc")
        return s if s.startswith("/") else os.path.join(base or cwd[P(pid)], s)
    def emit(op, text): op.calls = text; ops.append(op); apply(M.t, op)
    def newino(kind, val): i = M.n; M.n += 1; return i
    for pid, name, a, ret, tail in calls(trace):
        ok = not ret.startswith("-") and ret != "?"; text = f"{pid} {name}"
        p = P(pid)
        if name in ("clone", "clone3", "fork", "vfork"):
            if ok and ret.isdigit() and int(ret) > 0:
                c = int(ret)
                if "CLONE_THREAD" in " ".join(a): proc[c] = p
                else: fds[c] = {k: list(v) for k, v in fds[p].items()}; cwd[c] = cwd[p]
            continue
        if not ok and name not in ("write", "pwrite64"): continue
        if not ok: continue
        if name == "io_uring_setup": raise Unsupported("io_uring")
        if name in ("chdir",): cwd[p] = absn(pid, None, sarg(a[0])); continue
        if name == "fchdir": cwd[p] = fdarg(a[0])[1]; continue
        if name in ("open", "openat", "openat2", "creat"):
            if name in ("open", "creat"): path, fl = absn(pid, None, sarg(a[0])), (a[1] if name == "open" else "O_CREAT|O_WRONLY|O_TRUNC")
            else: path, fl = absn(pid, fdarg(a[0])[1], sarg(a[1])), a[2]
            r = rel(path); fd = int(ret.split("<")[0])
            if "O_TMPFILE" in fl and r is not None: raise Unsupported("O_TMPFILE")
            fds[p][fd] = [0, "O_APPEND" in fl]
            if r is None or not r: continue
            ino = M.walk(r); par = M.walk(r[:-1])
            if ino is None and "O_CREAT" in fl and par is not None:
                i = newino("f", b""); emit(Op("create", i, [par], name=r[-1]), f"{text} {'/'.join(r)}")
            elif ino is not None and "O_TRUNC" in fl and M.t[ino][0] == "f" and len(M.t[ino][1]): emit(Op("trunc", ino, n=0), f"{text} O_TRUNC {'/'.join(r)}")
            continue
        if name == "close": fds[p].pop(fdarg(a[0])[0], None); continue
        if name in ("dup", "dup2", "dup3") or (name == "fcntl" and "F_DUPFD" in a[1]):
            o = fdarg(a[0])[0]
            if o in fds[p]: fds[p][int(ret.split("<")[0])] = fds[p][o]
            continue
        if name == "fcntl": continue
        if name == "execve": continue
        if name == "lseek":
            fd = fdarg(a[0])[0]; fds[p].setdefault(fd, [0, False])[0] = int(ret); continue
        if name in ("read", "readv"):
            fd = fdarg(a[0])[0]
            if fd in fds[p]: fds[p][fd][0] += int(ret)
            continue
        def target(x):
            fd, path, dele = fdarg(x)
            if path is None or dele: return fd, None, None
            r = rel(path) if path.startswith("/") else None
            return fd, (M.walk(r) if r else None), path
        if name in ("write", "writev", "pwrite64", "pwritev", "pwritev2"):
            fd, ino, path = target(a[0]); n = int(ret)
            data = b"".join(unhex(m[1]) for m in STR.finditer(a[1]))[:n]
            if fd in (1, 2) and ino is None:
                ops.append(Op("print", None, s=data)); ops[-1].calls = text; continue
            if ino is None:
                if fd in fds[p] and name.startswith("write"): fds[p][fd][0] += n
                continue
            if len(data) != n: raise Unsupported(f"{name}: logged {len(data)} of {n} bytes")
            if name.startswith("pwrite"): off = int(a[3])
            else:
                st = fds[p].setdefault(fd, [0, False]); off = len(M.t[ino][1]) if st[1] else st[0]; st[0] = off + n
            emit(Op("write", ino, off=off, s=data), f"{text} {os.path.relpath(path, W)} @{off}+{n}"); continue
        if name == "ftruncate":
            fd, ino, path = target(a[0])
            if ino is not None: emit(Op("trunc", ino, n=int(a[1])), f"{text} {os.path.relpath(path, W)} {a[1]}")
            continue
        if name == "truncate":
            r = rel(absn(pid, None, sarg(a[0])))
            if r: emit(Op("trunc", M.walk(r), n=int(a[1])), text)
            continue
        if name == "fallocate":
            fd, ino, path = target(a[0])
            if ino is not None:
                if a[1] not in ("0",): raise Unsupported("fallocate " + a[1])
                emit(Op("grow", ino, n=int(a[2]) + int(a[3])), f"{text} {path}")
            continue
        if name in ("fsync", "fdatasync"):
            fd, ino, path = target(a[0])
            if path and rel(path) == []: ino = 0
            if ino is not None: ops.append(Op("sync", ino)); ops[-1].calls = f"{text} {os.path.relpath(path, W)}"
            continue
        if name in ("sync", "syncfs"): ops.append(Op("syncall")); ops[-1].calls = text; continue
        if name in ("rename", "renameat", "renameat2"):
            if name == "rename": x, y, fl = absn(pid, None, sarg(a[0])), absn(pid, None, sarg(a[1])), ""
            else: x, y, fl = absn(pid, fdarg(a[0])[1], sarg(a[1])), absn(pid, fdarg(a[2])[1], sarg(a[3])), (a[4] if len(a) > 4 else "")
            if "EXCHANGE" in fl: raise Unsupported("RENAME_EXCHANGE")
            x, y = rel(x), rel(y)
            if x is None and y is None: continue
            if not x or not y: raise Unsupported("rename across the workdir boundary")
            emit(Op("rename", M.walk(x), [M.walk(x[:-1]), M.walk(y[:-1])], a=x[-1], b=y[-1]), f"{text} {'/'.join(x)} -> {'/'.join(y)}"); continue
        if name in ("link", "linkat"):
            x, y = (absn(pid, None, sarg(a[0])), absn(pid, None, sarg(a[1]))) if name == "link" else (absn(pid, fdarg(a[0])[1], sarg(a[1])), absn(pid, fdarg(a[2])[1], sarg(a[3])))
            x, y = rel(x), rel(y)
            if not y: continue
            emit(Op("create", M.walk(x), [M.walk(y[:-1])], name=y[-1], hard=1), f"{text} {'/'.join(y)}"); continue
        if name in ("symlink", "symlinkat"):
            y = rel(absn(pid, None if name == "symlink" else fdarg(a[1])[1], sarg(a[-1])))
            if y: i = newino("l", None); emit(Op("create", i, [M.walk(y[:-1])], name=y[-1], link=os.fsdecode(sarg(a[0]))), text)
            continue
        if name in ("unlink", "unlinkat", "rmdir"):
            y = rel(absn(pid, None if name != "unlinkat" else fdarg(a[0])[1], sarg(a[0] if name != "unlinkat" else a[1])))
            if y: emit(Op("unlink", M.walk(y), [M.walk(y[:-1])], name=y[-1]), f"{text} {'/'.join(y)}")
            continue
        if name in ("mkdir", "mkdirat"):
            y = rel(absn(pid, None if name == "mkdir" else fdarg(a[0])[1], sarg(a[0] if name == "mkdir" else a[1])))
            if y: i = newino("d", None); emit(Op("create", i, [M.walk(y[:-1])], name=y[-1], dir=1), f"{text} {'/'.join(y)}")
            continue
        if name == "mmap":
            if "MAP_SHARED" in " ".join(a) and "PROT_WRITE" in a[2]:
                path = fdarg(a[4])[1] if len(a) > 4 else None
                if path and rel(path) and not path.endswith("-shm"): raise Unsupported("writable shared mmap of " + path)
            continue
        if name in ("copy_file_range", "sendfile", "splice"):
            out = a[2] if name == "copy_file_range" or name == "splice" else a[0]
            if target(out)[1] is not None: raise Unsupported(name + " into the workdir")
        if name == "ioctl" and "FICLONE" in " ".join(a): raise Unsupported("FICLONE")
    return M, ops

def apply(t, o, torn=None):
    """apply one operation to an inode table; silently skip when its parent was lost"""
    k = o.k
    if k == "create":
        d = o.d[0]
        if d not in t or t[d][0] != "d": return
        if not o.a.get("hard") and o.ino not in t:
            t[o.ino] = ("d", {}) if o.a.get("dir") else ("l", o.a["link"]) if "link" in o.a else ("f", bytearray())
        if o.ino in t: t[d][1][o.a["name"]] = o.ino
    elif k == "unlink":
        d = o.d[0]
        if d in t and t[d][1].get(o.a["name"]) == o.ino: del t[d][1][o.a["name"]]
    elif k == "rename":
        s, d = o.d
        if s in t and d in t and o.ino in t:
            if t[s][1].get(o.a["a"]) == o.ino: del t[s][1][o.a["a"]]
            t[d][1][o.a["b"]] = o.ino
    elif k in ("write", "trunc", "grow"):
        if o.ino not in t: t[o.ino] = ("f", bytearray())
        b = t[o.ino][1]
        if k == "write":
            s, off = o.a["s"], o.a["off"]
            if torn == "zero": s = bytes(len(s))
            elif torn is not None: s = s[:torn]
            if not s: return
            if len(b) < off: b.extend(bytes(off - len(b)))
            b[off:off + len(s)] = s
        elif k == "trunc":
            n = o.a["n"]
            if n < len(b): del b[n:]
            else: b.extend(bytes(n - len(b)))
        elif len(b) < o.a["n"]: b.extend(bytes(o.a["n"] - len(b)))

def forced(ops, i):
    """indices of operations up to i that some completed fsync already forced"""
    f = set(); syncs = [(j, ops[j]) for j in range(i + 1) if ops[j].k in ("sync", "syncall")]
    for j in range(i + 1):
        o = ops[j]
        if o.k in ("print", "sync", "syncall"): continue
        for q, s in syncs:
            if q < j: continue
            if s.k == "syncall" or (o.k in ("write", "trunc", "grow") and s.ino == o.ino) or (o.k in ("create", "unlink") and s.ino == o.d[0]) \
               or (o.k == "rename" and s.ino == o.d[1]): f.add(j); break
    return f

def states(ops, nrand, seed, models):
    """yield (crash point, label, [(op index, torn)])"""
    rnd = random.Random(seed); mut = [j for j, o in enumerate(ops) if o.k not in ("print", "sync", "syncall")]
    for i in range(-1, len(ops)):
        pre = [j for j in mut if j <= i]; fo = forced(ops, i); un = [j for j in pre if j not in fo]
        isdata = lambda j: ops[j].k in ("write", "trunc", "grow")
        if "prefix" in models: yield i, "prefix", [(j, None) for j in pre]
        if not un: continue
        if "min" in models: yield i, "min", [(j, None) for j in pre if j in fo]
        if "meta" in models: yield i, "meta", [(j, None) for j in pre if j in fo or not isdata(j)]
        if "data" in models: yield i, "data", [(j, None) for j in pre if j in fo or isdata(j)]
        for u in un:
            if "drop1" in models: yield i, f"drop1({u})", [(j, None) for j in pre if j != u]
            if "keep1" in models: yield i, f"keep1({u})", [(j, None) for j in pre if j in fo or j == u]
            if "torn" in models and ops[u].k == "write":
                n = len(ops[u].a["s"])
                for cut in sorted({"zero"} | {c for c in (0, 512, (n // 2) // 512 * 512, (n - 1) // 512 * 512) if 0 < c < n} | ({n // 2} if n < 512 else set()), key=str):
                    yield i, f"torn({u},{cut})", [(j, cut if j == u else None) for j in pre]
        for r in range(nrand if "rand" in models else 0):
            yield i, f"rand{r}", [(j, None) for j in pre if j in fo or rnd.random() < .5]

class States:
    """Inode tables of crash states, from the operations that count. What a file holds is worked out once for each set of
    operations on it: states are many, and differ in little."""
    def __init__(s, base, ops): s.base, s.ops, s.files, s.digests = base, ops, {}, {}
    def file(s, ino, sel):
        """the bytes of a file after these operations, and their digest"""
        if (ino, sel) not in s.files:
            t = {ino: ("f", bytearray(s.base[ino][1] if ino in s.base else b""))}
            for j, torn in sel: apply(t, s.ops[j], torn)
            s.files[ino, sel] = t[ino][1], hashlib.sha256(t[ino][1]).digest()
        return s.files[ino, sel]
    def table(s, sel):
        t = {i: (k, dict(v) if k == "d" else v) for i, (k, v) in s.base.items()}; data = collections.defaultdict(list)
        for j, torn in sel:
            o = s.ops[j]
            if o.k in ("write", "trunc", "grow"): data[o.ino].append((j, torn)); t.setdefault(o.ino, ("f", b""))
            else: apply(t, o, torn)
        return t, {i: tuple(v) for i, v in data.items()}
    def digest(s, sel):
        """of all that is there after these operations"""
        sel = tuple(sel)
        if sel not in s.digests: s.digests[sel] = s._digest(sel)
        return s.digests[sel]
    def _digest(s, sel):
        t, data = s.table(sel); h = hashlib.sha256()
        def w(i, path):
            k, v = t[i]
            if k == "d":
                for n in sorted(v): w(v[n], path + "/" + n)
                h.update(b"D" + path.encode("utf8", "surrogateescape"))
            else: h.update(path.encode("utf8", "surrogateescape") + b"\0" + (s.file(i, data.get(i, ()))[1] if k == "f" else b"->" + v.encode()) + b"\1")
        w(0, ""); return h.hexdigest()
    def state(s, sel):
        t, data = s.table(sel)
        return {i: (k, s.file(i, data.get(i, ()))[0] if k == "f" else v) for i, (k, v) in t.items()}
def materialize(t, dst):
    seen = {}
    def w(i, p):
        k, v = t[i]
        if k == "d":
            os.makedirs(p, exist_ok=True)
            for n, c in v.items(): w(c, os.path.join(p, n))
        elif k == "l": os.symlink(v, p)
        elif i in seen: os.link(seen[i], p)
        else: open(p, "wb").write(v); seen[i] = p
    w(0, dst)

def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    sp = ap.add_subparsers(dest="cmd", required=True)
    r = sp.add_parser("record"); r.add_argument("-w", required=True); r.add_argument("-o", required=True); r.add_argument("argv", nargs=argparse.REMAINDER)
    e = sp.add_parser("explore"); e.add_argument("-t", required=True); e.add_argument("-c", required=True)
    e.add_argument("-m", default="prefix,min,meta,data,drop1,keep1,torn,rand"); e.add_argument("--rand", type=int, default=3); e.add_argument("--seed", type=int, default=1)
    e.add_argument("-j", type=int, default=os.cpu_count()); e.add_argument("--max", type=int, default=0, help="try a random N of the distinct states (0 = all)"); e.add_argument("--keep", help="copy violating states here")
    e.add_argument("--ops", action="store_true", help="print the operation list and stop")
    a = ap.parse_args()
    if a.cmd == "record":
        argv = a.argv[1:] if a.argv[:1] == ["--"] else a.argv; W = os.path.realpath(a.w)
        shutil.rmtree(a.o + ".init", ignore_errors=True); shutil.copytree(W, a.o + ".init", symlinks=True)
        open(a.o + ".meta", "w").write(f"workdir={W}\ncwd={os.path.realpath(os.getcwd())}\n")
        rc = subprocess.call(["strace", "-f", "-qq", "-y", "-xx", "-s", str(1 << 28), "-e", "trace=" + CALLS, "-e", "signal=none", "-o", a.o] + argv)
        print(f"crashsim: recorded {sum(1 for _ in open(a.o, errors='replace'))} calls, exit {rc}", file=sys.stderr); return rc
    try: M, ops = build(a.t)
    except Unsupported as x: print("crashsim: cannot replay:", x); return 2
    if a.ops:
        for i, o in enumerate(ops): print(i, o.calls, o)
        return 0
    all_ = States(Model(a.t + ".init").t, ops); seen = set(); chosen = []; total = 0
    out = b""; outs = []
    for o in ops:
        if o.k == "print": out += o.a["s"]
        outs.append(out)
    bad = collections.OrderedDict(); tmp = tempfile.mkdtemp(prefix="crashsim.")
    for i, label, sel in states(ops, a.rand, a.seed, set(a.m.split(","))):
        total += 1; promised = outs[i] if i >= 0 else b""; key = (all_.digest(sel), promised)
        if key not in seen: seen.add(key); chosen.append((i, label, sel, promised))
    nstate = len(chosen)
    if a.max and nstate > a.max: chosen = random.Random(a.seed).sample(chosen, a.max)
    def run(one):
        i, label, sel, promised = one; d = tempfile.mkdtemp(dir=tmp); s = os.path.join(d, "state"); of = os.path.join(d, "out")
        materialize(all_.state(sel), s); open(of, "wb").write(promised); msg = judge(s, of)
        if msg and a.keep:
            k = os.path.join(a.keep, f"{i:05d}-{re.sub('[^a-z0-9]+', '_', label)}"); os.makedirs(a.keep, exist_ok=True); shutil.rmtree(k, ignore_errors=True)
            materialize(all_.state(sel), k); open(k + ".out", "wb").write(promised)
        shutil.rmtree(d, ignore_errors=True); return i, label, msg
    judge = Judge(a.c)
    for i, label, msg in judge.map(run, chosen, a.j):
        if msg: bad.setdefault((re.sub(r"\(.*", "", label), msg.splitlines()[-1]), []).append((i, label))
    shutil.rmtree(tmp, ignore_errors=True)
    print(f"crashsim: {len(ops)} operations, {total} crash states, {nstate} distinct, {len(chosen)} tried, {sum(map(len, bad.values()))} violations")
    for (lab, msg), v in bad.items(): print(f"  {len(v):5d} x {lab:7s} {msg}   e.g. after op {v[0][0]} [{ops[v[0][0]].calls if v[0][0] >= 0 else 'start'}] {v[0][1]}")
    return 1 if bad else 0
if __name__ == "__main__": sys.exit(main())
