# limit: 300
# A package of somebody else's that depends on this one: Tests/client. It is built where this one was, with the same flags: then only the
# client itself is compiled, which takes ten seconds. In a folder of its own all of SeaKit would be.
built=$(dirname "$(readlink -f "$(command -v sea)")")
export built

t 'a package that depends on sea builds without a warning, and only itself' <<'EOT'
swift build --package-path "$SEA_TEST_ROOT/Tests/client" --scratch-path "$(dirname "$(dirname "$built")")" \
  -c "$(basename "$built")" --product client ${SWIFT_FLAGS-} >out 2>&1 || { cat out; exit 1; }
lacks out warning:
lacks out 'Compiling Sea'
EOT

t 'it has the runtime of Swift in itself, and does what it says' <<'EOT'
cp "$built/client" .
ldd client >libraries
lacks libraries libswift
lacks libraries libFoundation
env -i ./client books >out
same out <<'EOX'
long: Tides
list: Currents, Tides
handed over: 2 blocks, complete: true
there: 2 books
EOX
sea -C books query -t book --select=title --tsv >out
says out Tides
EOT
