#!/usr/bin/env python3
"""Records for git fast-import, a file for each record.

usage: fast_import.py [--folders] [--commits] RECORDS
       --folders   in folders of two digits, else all in one
       --commits   a commit for each record, else one for all
"""
import json, sys

out, folders, commits = sys.stdout.buffer, "--folders" in sys.argv, "--commits" in sys.argv
COMMIT = b"commit refs/heads/main\ncommitter a <a@example.org> 1767225600 +0000\ndata 4\nload\n"
paths = []
for n, line in enumerate(open(sys.argv[-1], "rb"), 1):
    name = json.loads(line)["_id"]
    path = (f"{name[:2]}/{name[2:]}" if folders else name).encode()
    if commits:
        out.write(COMMIT + b"M 100644 inline %s\ndata %d\n%s\n" % (path, len(line), line))
    else:
        out.write(b"blob\nmark :%d\ndata %d\n%s\n" % (n, len(line), line))
        paths.append(path)
if not commits:
    out.write(COMMIT)
    for n, path in enumerate(paths, 1):
        out.write(b"M 100644 :%d %s\n" % (n, path))
