# limit: 240
# The pages in a real browser, with scripts and without: what people do with them, and whether all people can.
. "$SEA_TEST_ROOT/Tests/studio/studio.sh"
sea init -q --name=office museum
sea -C museum put -q - <<'EOX'
{"_id":"o/1","_type":"object","name":"Bronze fibula","weight":41,"found":{"$day":"1932-06-14"},"place":{"$ref":"p/1"},"loans":{"$counter":0},"material":{"$set":["bronze"]},"checked":{"$date":"2026-03-01T09:00:00Z"},"value":{"$decimal":"120.50"},"exhibited":true,"size":{"length":4.5,"width":2},"notes":"The pin is missing.\n\nA drawing of 1932 shows it."}
{"_id":"o/2","_type":"object","name":"Glass bead","weight":3}
{"_id":"o/3","_type":"object","name":"Iron key","weight":11}
{"_id":"o/4","_type":"object","name":"Silver coin","weight":5}
{"_id":"o/5","_type":"object","name":"Bone comb","weight":9,"place":{"$ref":"p/2"}}
{"_id":"p/1","_type":"place","name":"Store A"}
{"_id":"evil/<script>pwned=1</script>","_type":"evil","name":"\u202etxt.exe <img src=x onerror=pwned=1>","<script>pwned=1</script>":"javascript:pwned=1","s":{"$set":["\"><script>pwned=1</script>"]}}
EOX
printf '<script>pwned=1</script>' >page.html
sea -C museum set -q 'evil/<script>pwned=1</script>' "photo:asset[image/png]@$PWD/page.html" "page:asset[text/html]@$PWD/page.html"
/usr/bin/python3 - <<'EOX'
import struct, zlib
def chunk(kind, data): return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
rows = b"".join(b"\0" + bytes(v for x in range(320) for v in (90 + x // 4, 140 - y // 3, 120)) for y in range(240))
open("photo.png", "wb").write(b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 320, 240, 8, 2, 0, 0, 0))
                              + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b""))
EOX
start_studio main museum
AXE=$(echo "$SEA_TEST_ROOT"/.build/studio-tools/axe_core_python/axe.min.js) \
  /usr/bin/python3 "$SEA_TEST_ROOT/Tests/studio/browse.py" museum "${SEA_TEST_PICTURES:-pictures}" <main.address
