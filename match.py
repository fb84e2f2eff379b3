import os, re, sys
want, have, status = open(sys.argv[1]).read(), open(sys.argv[2]).read(), sys.argv[3]
if os.environ["page_sealed"]:
    # What is said of a sealed database besides, the mode of a block, and a name that only a key tells.
    have = re.sub(r"(?m)^notice: without the passphrase .*\n", "", have)
    have = re.sub(r"(?m)^( *database .*)  sealed$", r"\1", have).replace('["sealed","signed"]', '["signed"]')
    if ", sealed: signatures not checked" in have:
        have = have.replace(", sealed: signatures not checked", "")
        want = re.sub(r"(?m)^(.*: chain) \S+", r"\1 ...", want)
lines = want.splitlines()
if lines and re.fullmatch(r"\[\d+\]", lines[-1]):
    wanted_status = lines.pop()[1:-1]
else:
    wanted_status = "0"
while lines and not lines[-1]:
    lines.pop()
pattern = r"\n".join(re.escape(line).replace(r"\.\.\.", ".*") for line in lines) + r"\n?"
ok = status == wanted_status and (not lines or re.fullmatch(pattern, have, re.S))
if not ok:
    print("status", status, "instead of", wanted_status, "\nwanted:\n" + want + "had:\n" + have)
sys.exit(not ok)
