t 'the program completes commands, options and values' <<'EOT'
status 0 sea --complete 'sea conf' 8
says out 'config	get and set options'
status 0 sea --complete 'sea hash-record --kind=d' 24
echo --kind=delete | same out
EOT

t 'bash offers what the program says' <<'EOT'
cat >ask.bash <<'EOX'
. "$SEA_TEST_ROOT/completions/sea.bash"
COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$(($# - 2)) COMP_WORDS=("${@:2}")
_sea
printf '%s\n' "${COMPREPLY[@]}"
EOX
bash ask.bash 'sea hash-rec' sea hash-rec >out
echo hash-record | same out
bash ask.bash 'sea hash-record --kind=' sea hash-record --kind = >out
printf 'put\ndelete\nresolved\n' | same out
bash ask.bash 'sea hash-record --kind=d' sea hash-record --kind = d >out
echo delete | same out
EOT

t 'sea-server, too' <<'EOT'
cat >server.bash <<'EOX'
. "$SEA_TEST_ROOT/completions/sea-server.bash"
COMP_LINE=$1 COMP_POINT=${#1} COMP_CWORD=$(($# - 2)) COMP_WORDS=("${@:2}")
_sea_server
printf '%s\n' "${COMPREPLY[@]}"
EOX
bash server.bash 'sea-server ' sea-server '' | sort >out
printf '%s\n' --config= --help --version add-token | same out
bash server.bash 'sea-server add-token --r' sea-server add-token --r >out
echo --read-only | same out
touch main.conf
bash server.bash 'sea-server --config=ma' sea-server --config = ma >out
echo main.conf | same out
bash server.bash 'sea-server --config=' sea-server --config = | grep -qx main.conf
bash server.bash 'sea-server add-token --config=x --d' sea-server add-token --config = x --d >out
echo --days= | same out
# What it has is what is offered, in each shell.
sed -n '/static let usage/,/--version/p' "$SEA_TEST_ROOT/Helpers/Sources/sea-server/Main.swift" | grep -oE -- '--[a-z-]+' | sort -u >want
[ "$(wc -l <want)" -ge 7 ]
for file in sea-server.bash _sea-server; do
  grep -oE -- '--[a-z]+(-[a-z]+)*' "$SEA_TEST_ROOT/completions/$file" | sort -u | same want
done
sed -n 's/.*--long-option \([a-z-]*\).*/--\1/p' "$SEA_TEST_ROOT/completions/sea-server.fish" | sort -u | same want
EOT

t 'the scripts for zsh and fish are well-formed' <<'EOT'
for name in sea sea-server; do
  if command -v zsh >/dev/null; then zsh -n "$SEA_TEST_ROOT/completions/_$name"; fi
  if command -v fish >/dev/null; then fish -n "$SEA_TEST_ROOT/completions/$name.fish"; fi
  bash -n "$SEA_TEST_ROOT/completions/$name.bash"
done
EOT
