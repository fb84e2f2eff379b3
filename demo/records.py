#!/usr/bin/env python3
"""Debian's iso-codes as records, one JSON object per line: languages, countries, and their subdivisions.

usage: records.py [FOLDER]     FOLDER is /usr/share/iso-codes/json unless given
"""
import json, os, sys

folder = sys.argv[1] if len(sys.argv) > 1 else "/usr/share/iso-codes/json"

def entries(file, key):
    with open(os.path.join(folder, file), encoding="utf-8") as f:
        return json.load(f)[key]

def put(id, type, entry, **more):
    print(json.dumps({"_id": id, "_type": type} | entry | more, ensure_ascii=False))

sys.stdout.reconfigure(encoding="utf-8")
for entry in entries("iso_639-3.json", "639-3"):
    put("language/" + entry["alpha_3"], "language", entry)
for entry in entries("iso_3166-1.json", "3166-1"):
    put("country/" + entry["alpha_2"], "country", entry)
subdivisions = entries("iso_3166-2.json", "3166-2")
codes = {entry["code"] for entry in subdivisions}
for entry in subdivisions:
    country = entry["code"].split("-")[0]
    more = {"country": {"$ref": "country/" + country}}
    # A parent is given with or without the country in front.
    parent = entry.pop("parent", None)
    if parent:
        full = parent if parent in codes else f"{country}-{parent}"
        more["parent"] = {"$ref": "subdivision/" + full}
    put("subdivision/" + entry["code"], "subdivision", entry, **more)
