# limit: 240
# What the pages and the README show is run, each page in an empty directory: lines that begin with "$ ", with the lines
# behind them that are indented by four, and comments `.\" $ …` (`<!-- $ … -->`), which prepare what the reader has
# already. What is shown as output must come out, "..." standing for anything; the last line [N] is the exit status,
# else it must be 0. Pages of commands are read from EXAMPLES on, guides and the README from their beginning.

cat >examples.awk <<'EOX'
FNR == 1 { markdown = FILENAME ~ /\.md$/; inside = markdown || FILENAME ~ /\.7$/; guide = inside }
markdown && /^```/ { block = /^```console/; open = 0; next }
markdown && /^<!-- \$ .* -->$/ { line = substr($0, 6, length($0) - 9); hidden = 1; take(); next }
markdown { if (block) { line = $0; take() } next }
/^\.Sh / { inside = guide || ($2 == "EXAMPLES"); next }
!inside { next }
/^\.Bd / { block = 1; next }
/^\.Ed/ { block = 0; open = 0; next }
/^\.\\" \$ / { line = substr($0, 5) }
/^\./ && !/^\.\\" \$ / { next }
!/^\./ { if (!block) next; line = $0 }
{
  gsub(/\\&/, "", line); gsub(/\\\(dq/, "\"", line); gsub(/\\-/, "-", line); gsub(/\\e/, "\\", line)
  gsub(/\\\(->/, "→", line)
  take()
}
function take() {
  if (substr(line, 1, 2) == "$ ") {
    n++; open = 1; name = sprintf("%s/%03d", dir, n)
    print substr(line, 3) > (name ".cmd")
  } else if (open && line ~ /^    /) {
    print line > (name ".cmd")
  } else if (n) {
    open = 0
    print line > (name ".want")
  }
}
EOX

cat >match.py <<'EOX'
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
EOX

for page in "$SEA_TEST_ROOT"/man/*.[157] "$SEA_TEST_ROOT/README.md"; do
  [ ! -L "$page" ] || continue
  name=$(basename "$page")
  rm -rf examples place
  mkdir examples place
  awk -v dir=examples -f examples.awk "$page"
  [ -e examples/001.cmd ] || continue
  # One shell runs them all, so that what one example sets the next one finds.
  {
    echo "cd place"
    for command in examples/*.cmd; do
      base=$PWD/${command%.cmd}
      printf 'status=0\n{\n%s\n} >%s.have 2>&1 || status=$?\necho $status >%s.status\n' "$(cat "$command")" "$base" "$base"
    done
  } >examples/all.sh
  # A page that is about passphrases or members brings its own.
  page_sealed=$SEA_TEST_SEALED
  own=
  if grep -qE -e '--(encrypt|password-|require-auth)' examples/*.cmd; then
    page_sealed=
    own='env -u SEA_CONFIG_COUNT -u SEA_PASSWORD_FILE'
  fi
  $own sh examples/all.sh </dev/null >examples/log 2>&1 || true
  export name page_sealed
  t "the examples of $name" <<'EOT'
for command in examples/*.cmd; do
  base=${command%.cmd}
  cat "$command"
  touch "$base.want"
  python3 match.py "$base.want" "$base.have" "$(cat "$base.status")"
done
EOT
done
