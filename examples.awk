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
