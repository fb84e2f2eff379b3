t 'sea alone lists the commands on standard error' <<'EOT'
status $USAGE sea
says err 'sea: error[usage]: no command given'
says err 'for a tutorial, run: sea help tutorial'
[ ! -s out ]
EOT

t 'a mistyped command is suggested' <<'EOT'
status $USAGE sea versoin
says err 'did you mean: sea version'
EOT

t 'a program sea-NAME is a command, and gets arguments and options' <<'EOT'
mkdir -p bin
printf '%s\n' '#!/bin/sh' 'echo "$SEA_DIR" "$PWD" "$@"; exit 9' >bin/sea-hello
chmod +x bin/sea-hello
PATH=$PWD/bin:$PATH status $UNREACHABLE sea -C / --sea-dir=/x/.sea hello -n 'a b'
echo '/x/.sea / -n a b' | same out
EOT

t 'a program that is not executable is no command' <<'EOT'
chmod -x bin/sea-hello
PATH=$PWD/bin:$PATH status $USAGE sea hello
EOT

t 'a script without an interpreter cannot be started' <<'EOT'
printf '#!/no/such/interpreter\n' >bin/sea-lost
chmod +x bin/sea-lost
PATH=$PWD/bin:$PATH status 127 sea lost
EOT

t 'called as sea-version it is sea version' <<'EOT'
ln -s "$(command -v sea)" sea-version
status 0 ./sea-version
sea --version | same out
EOT

t 'usage errors are JSON under --json, wherever it stands' <<'EOT'
status $USAGE sea version --loud --json
says err '"code":"usage"'
python3 -c 'import json; [json.loads(line) for line in open("err")]'
EOT

t 'an argument that is not UTF-8 is refused' <<'EOT'
status $USAGE sea version "$(printf '\377')"
says err 'argument 2 is not UTF-8'
EOT

t 'help opens the page that was installed with the program' <<'EOT'
mkdir -p prefix/bin prefix/share/man/man1 man
cp "$(realpath "$(command -v sea)")" prefix/bin/sea
cp "$SEA_TEST_ROOT/man/sea-version.1" prefix/share/man/man1
printf '#!/bin/sh\necho "man $*"\n' >man/man
chmod +x man/man
PATH=$PWD/man:$PATH status 0 prefix/bin/sea help version
says out prefix/bin/../share/man/man1/sea-version.1
PATH=$PWD/man:$PATH status 0 prefix/bin/sea config --help
echo 'man sea-config' | same out
# One that is not there is not for man to tell of.
printf '#!/bin/sh\necho "No manual entry" >&2\nexit 16\n' >man/man
PATH=$PWD/man:$PATH status 0 prefix/bin/sea put --help
says out 'usage: sea put'
[ ! -s err ]
PATH=$PWD/man:$PATH status $NOT_FOUND prefix/bin/sea help nosuch
says err "no manual page found for 'nosuch'"
fails grep 'manual entry' err
EOT

t 'help fits into 80 columns' <<'EOT'
sea -h | awk 'length > 79 { print; bad = 1 } END { exit bad }'
sea | awk 'length > 79 { print; bad = 1 } END { exit bad }'
for name in get export clone verify; do sea $name -h | awk 'length > 79 { print; bad = 1 } END { exit bad }'; done
EOT
