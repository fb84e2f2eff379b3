#!/usr/bin/env python3
"""Records as one commit for git fast-import, a file for each record. usage: fast_import.py RECORDS"""
import json, sys

out, names = sys.stdout.buffer, []
for n, line in enumerate(open(sys.argv[1], "rb"), 1):
    out.write(b"blob\nmark :%d\ndata %d\n%s\n" % (n, len(line), line))
    names.append(json.loads(line)["_id"])
out.write(b"commit refs/heads/main\ncommitter a <a@example.org> 1767225600 +0000\ndata 4\nload\n")
for n, name in enumerate(names, 1):
    out.write(b"M 100644 :%d %s/%s\n" % (n, name[:2].encode(), name[2:].encode()))
