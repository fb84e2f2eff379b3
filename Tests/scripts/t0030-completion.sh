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

t 'the scripts for zsh and fish are well-formed' <<'EOT'
if command -v zsh >/dev/null; then zsh -n "$SEA_TEST_ROOT/completions/_sea"; fi
if command -v fish >/dev/null; then fish -n "$SEA_TEST_ROOT/completions/sea.fish"; fi
bash -n "$SEA_TEST_ROOT/completions/sea.bash"
EOT
