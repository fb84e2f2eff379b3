#!/usr/bin/env python3
"""injectloop.py - SQLite-style anomaly loop with strace (>= 5.0): fail the Nth system call, N = 1, 2, 3 ... until the
command runs through without meeting the fault; every run starts from a fresh copy of STATE and is judged by a checker.

  injectloop.py -s STATE -r 'CMD with {dir}' -c CHECKER.py [-m once,from,kill] [-j N]
     [--calls write,pwrite64,...] [--err EIO,ENOSPC] [--maxn 5000] [--keep DIR]

 once  exactly the Nth call of that kind fails (device hiccup, EINTR)      inject=CALL:error=E:when=N
 from  the Nth and all later ones fail (disk full, stick pulled out)       inject=CALL:error=E:when=N+
 kill  the process dies by SIGKILL on entering the Nth call                inject=CALL:signal=KILL:when=N
CMD runs with stdout+stderr in a file OUT; the checker's main(dir, out, rc, call, log) (judge.py) returns when everything
that OUT promised holds in dir, the store passes its own fsck, and rc tells the truth (rc 0 only if the work is really
there). A failed fsync/fdatasync leaves no trace in dir, so the checker must itself insist on rc != 0 when call is fsync or
fdatasync; log is what strace saw of it. The counter restarts per thread
with -f, so keep the traced command single-threaded where possible (strace counts "when" per tracee).
NOTE  strace injects only into calls that are also in -e trace=; `-e trace=none -e inject=...` silently does nothing."""
import sys, os, signal, argparse, subprocess, shutil, tempfile, collections
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from judge import Judge
DEF = {"openat": "EMFILE,EACCES", "write": "EIO,ENOSPC,EINTR", "pwrite64": "EIO,ENOSPC", "writev": "ENOSPC", "read": "EIO,EINTR", "pread64": "EIO", "fsync": "EIO,ENOSPC", "fdatasync": "EIO,ENOSPC",
       "rename": "EIO,ENOSPC,EXDEV", "renameat": "EIO,ENOSPC", "renameat2": "EINVAL,EIO,ENOSPC,EXDEV", "link": "EPERM", "linkat": "EPERM", "unlink": "EIO,EBUSY", "unlinkat": "EIO", "mkdir": "ENOSPC,EACCES", "mkdirat": "ENOSPC", "ftruncate": "ENOSPC,EIO", "fallocate": "ENOSPC,EOPNOTSUPP",
       "close": "EIO", "fcntl": "EAGAIN,ENOLCK", "flock": "EINTR,ENOLCK", "newfstatat": "EIO", "getrandom": "EINTR,ENOSYS", "mmap": "ENOMEM", "brk": "ENOMEM", "chmod": "ENOSYS,EPERM", "fchmod": "ENOSYS,EPERM", "utimensat": "EPERM", "lseek": "EINVAL"}
def one(a, call, err, mode, n):
    t = tempfile.mkdtemp(prefix="inj."); d = f"{t}/state"; shutil.copytree(a.state, d, symlinks=True); judge.prepare(d); out = f"{t}/out"; log = f"{t}/log"
    inj = f"{call}:signal=KILL:when={n}" if mode == "kill" else f"{call}:error={err}:when={n}{'+' if mode == 'from' else ''}"
    p = subprocess.Popen(["strace", "-f", "-qq", "-o", log, "-y", "-e", f"trace={call},pwrite64", "-e", f"inject={inj}", "sh", "-c", "exec " + a.run.replace("{dir}", d)], stdout=open(out, "wb"), stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
    try: p.wait(a.timeout)
    except subprocess.TimeoutExpired:
        os.killpg(p.pid, signal.SIGKILL); p.wait(); shutil.rmtree(t, ignore_errors=True); return True, 124, "HANG"
    lg = open(log, errors="replace").read(); hit = "(INJECTED)" in lg or (mode == "kill" and "killed by SIGKILL" in lg)
    msg = judge(d, out, p.returncode, call, log)
    if msg and a.keep: os.makedirs(a.keep, exist_ok=True); shutil.copytree(t, f"{a.keep}/{call}-{err}-{mode}-{n}", symlinks=True, dirs_exist_ok=True)
    shutil.rmtree(t, ignore_errors=True); return hit, p.returncode, msg
def series(a, call, err, mode):
    runs = hits = 0; bad = []; rcs = collections.Counter(); miss = 0
    for n in range(1, a.maxn + 1):
        hit, rc, msg = one(a, call, err, mode, n); runs += 1; hits += hit
        if not hit: break
        rcs[rc] += 1
        if msg: bad.append((n, rc, msg))
    return call, err, mode, hits, rcs, bad
if __name__ == "__main__":
    p = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter); p.add_argument("-s", "--state", required=True); p.add_argument("-r", "--run", required=True); p.add_argument("-c", "--check", required=True); p.add_argument("-m", default="once,from,kill"); p.add_argument("-j", type=int, default=os.cpu_count())
    p.add_argument("--calls"); p.add_argument("--err"); p.add_argument("--maxn", type=int, default=5000); p.add_argument("--timeout", type=int, default=60); p.add_argument("--keep"); p.add_argument("--errors", type=int, default=99, help="only so many errors of a call"); a = p.parse_args()
    jobs = []; judge = Judge(a.check)
    for call, errs in DEF.items():
        if a.calls and call not in a.calls.split(","): continue
        for m in a.m.split(","):
            for e in ([""] if m == "kill" else (a.err or errs).split(",")[:a.errors]):
                if not (m == "from" and e in ("EINTR", "EAGAIN")): jobs.append((call, e, m))      # endless EINTR is not a real world
    tot = nb = 0
    for call, e, m, hits, rcs, bad in judge.map(lambda j: series(a, *j), jobs, a.j):
        tot += hits; nb += len(bad)
        if hits: print(f"{'BAD' if bad else 'ok ':3s} {call:11s} {e:10s} {m:4s} {hits:4d} faults, exit codes {dict(rcs)}" + "".join(f"\n      at call {n}: rc={rc} {msg}" for n, rc, msg in bad[:3]))
    print(f"{tot} injected faults, {nb} violations"); sys.exit(nb > 0)
