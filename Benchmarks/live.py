#!/usr/bin/env python3
"""How soon a save on one device is seen by another that syncs automatically, both programs of SeaKit: through a folder, ssh,
sea-server and S3 on this machine. What is not installed here is left out, and said.

usage: live.py BUILD   (the folder of bench-kit, sea and the helpers)"""
import os, subprocess, sys, tempfile

import places

build = os.path.realpath(sys.argv[1])
sea = build + "/sea"
with tempfile.TemporaryDirectory(prefix="sea-live.") as work:
    for make in (
        lambda: places.Folder(work), lambda: places.SSH(work, sea), lambda: places.Server(work, sea),
        lambda: places.S3(work, "moto"),
    ):
        try:
            place = make()
        except (SystemExit, OSError) as reason:
            print(f"left out: {reason}")
            continue
        print(f"automatic sync through {place.name}:", flush=True)
        folder = tempfile.mkdtemp(dir=work)
        done = subprocess.run(
            [build + "/bench-kit", folder, "live", place.at(os.path.basename(folder) + ".sea")],
            env=os.environ | {"SEA_EXEC_PATH": build} | place.env, timeout=600)
        if done.returncode:
            raise SystemExit(f"bench-kit: {done.returncode}")
