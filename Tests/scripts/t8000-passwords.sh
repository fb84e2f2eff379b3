# limit: 180
# Where passwords come from, and where they must not go.
unset SSH_ASKPASS SEA_PASSWORD_FILE
mkdir tools
ln -s "$SEA_TEST_ROOT/Tests/faults/terminal.py" tools/terminal
export PATH="$PWD/tools:$PATH"

(umask 077 && echo 'correct horse' >pw && echo 'wrong horse' >wrong)
# Keys are not kept: every command that writes needs the password.
sea --password-file=pw init -q --encrypt --no-store-key db 2>/dev/null

t 'a file, a command, a descriptor and their variables' <<'EOT'
printf 'correct horse\nmore\n' >bin && chmod 600 bin
sea -C db --password-file=../pw put -q '{"_id":"x","n":1}'
sea -C db put -q '{"_id":"x","n":2}' --password-file "$PWD/bin"
sea -C db --password-command="cat '$PWD/bin'" put -q '{"_id":"x","n":3}'
sea -C db --password-fd=3 put -q '{"_id":"x","n":4}' 3<pw
SEA_PASSWORD_FILE=$PWD/pw sea -C db put -q '{"_id":"x","n":5}'
SEA_PASSWORD_COMMAND="echo correct\\ horse" sea -C db put -q '{"_id":"x","n":6}'
SEA_PASSWORD_FD=9 sea -C db put -q '{"_id":"x","n":7}' 9<pw
sea --sea-dir=db/.sea --password-file=/dev/fd/4 put -q '{"_id":"x","n":8}' 4<pw 2>err
[ ! -s err ]
[ "$(sea -C db get x n)" = 8 ]
EOT

t 'behind the password, standard input has records' <<'EOT'
{ cat pw && echo '{"_id":"y","n":1}' && echo '{"_id":"y2","n":2}'; } | sea -C db --password-fd=0 put -q -
[ "$(sea -C db get y2 n)" = 2 ]
sea -C db --password-fd=0 put -q '{"_id":"y2","n":3}' <pw
[ "$(sea -C db get y2 n)" = 3 ]
EOT

t 'options come before variables, those before the settings, those before programs that ask' <<'EOT'
printf '#!/bin/sh\necho "$1" >>"%s/asked"\ncat "%s/pw"\n' "$PWD" "$PWD" >ask && chmod +x ask
SEA_ASKPASS=$PWD/ask sea -C db put -q '{"_id":"z","n":1}'
grep -q '^Passphrase for .*db.*: $' asked
SEA_ASKPASS= SSH_ASKPASS=$PWD/ask sea -C db put -q '{"_id":"z","n":2}'
sea -C db config set password.command "cat $PWD/pw"
SEA_ASKPASS=false sea -C db put -q '{"_id":"z","n":3}'
SEA_PASSWORD_FILE=$PWD/wrong status $DENIED sea -C db put '{"_id":"z","n":4}'
SEA_PASSWORD_FILE=$PWD/wrong sea -C db --password-file=../pw put -q '{"_id":"z","n":4}'
status $DENIED sea -C db --password-fd=3 --password-file=../pw put '{"_id":"z","n":5}' 3<wrong
sea -C db config unset password.command
status $DENIED sea -C db -c "password.command=cat $PWD/pw" put '{"_id":"z","n":6}'
says err 'error[no-key]'
[ "$(sea -C db get z n)" = 4 ]
EOT

t 'a wrong password, and none' <<'EOT'
status $DENIED sea -C db --password-file=../wrong put '{"_id":"x","n":9}'
says err 'error[bad-password]'
: >empty && chmod 600 empty
status $DENIED sea -C db --password-file=../empty put '{"_id":"x","n":9}'
says err 'the passphrase is empty'
status $DENIED sea -C db --json put '{"_id":"x","n":9}' </dev/null
jq -e '.code == "no-key" and .exit == 7' err
status $SYSTEM sea -C db --password-file=none put '{"_id":"x","n":9}'
status $USAGE sea -C db --password-fd=77 put '{"_id":"x","n":9}'
status $REFUSED sea -C db --password-command='sh -c "exit 3"' put '{"_id":"x","n":9}'
says err "'sh' failed with status 3"
status $USAGE sea -C db --password-command="cat 'x" put '{"_id":"x","n":9}'
[ "$(sea -C db get x n)" = 8 ]
EOT

t 'SEA_PASSWORD is refused, if a password is looked for' <<'EOT'
SEA_PASSWORD='correct horse' status 2 sea -C db put '{"_id":"x","n":9}'
says err 'SEA_PASSWORD is ignored, because other programs can read it'
says err 'hint: use --password-file, --password-command, --password-fd or the prompt'
SEA_PASSWORD='correct horse' status 2 sea -C db --password-file=../pw put '{"_id":"x","n":9}'
SEA_PASSWORD='correct horse' sea -C db get x n
EOT

t 'a file that others can read is remarked, a pipe is not' <<'EOT'
cp pw open && chmod 644 open
status 0 sea -C db --password-file=../open put '{"_id":"x","n":10}'
says err 'warning[password-file-open]'
mkfifo pipe && chmod 644 pipe
cat pw >pipe &
status 0 sea -C db --password-file=../pipe put '{"_id":"x","n":11}'
[ ! -s err ]
EOT

t 'the terminal asks once to open, and shows nothing' <<'EOT'
terminal 'Passphrase for ' 'correct horse' -- sea -C db put -q '{"_id":"t","n":1}' >screen
fails grep horse screen
[ "$(sea -C db get t n)" = 1 ]
code=0
terminal 'Passphrase for ' 'wrong horse' 'Wrong passphrase.' still 'Wrong passphrase.' wrong -- \
  sea -C db put -q '{"_id":"t","n":2}' >screen || code=$?
[ $code -eq 7 ]
says screen 'bad-password'
# Who mistypes it once is in.
terminal 'Passphrase for ' 'wrong horse' 'Wrong passphrase.' 'correct horse' -- \
  sea -C db put -q '{"_id":"t","n":3}' >screen
[ "$(sea -C db get t n)" = 3 ]
lacks screen error
lacks screen horse
code=0
terminal -- sea -C db --no-input put -q '{"_id":"t","n":2}' >screen || code=$?
[ $code -eq 7 ]
EOT

t 'and twice for a new one, at most three times' <<'EOT'
terminal 'New passphrase for ' a 'Repeat: ' b 'The passphrases do not match.' '' 'The passphrase cannot be empty.' c 'Repeat: ' c -- \
  sea init -q --encrypt --no-store-key new >screen
echo c >c && chmod 600 c
sea -C new --password-file=../c put -q '{"_id":"x"}'
code=0
terminal 'New' a 'Repeat: ' b 'New' a 'Repeat: ' b 'New' a 'Repeat: ' b -- sea init -q --encrypt never >screen || code=$?
[ $code -eq 7 ]
[ ! -e never/.sea ]
terminal 'New' 'short' 'Repeat: ' 'short' -- sea init --encrypt --no-store-key short >screen
says screen 'notice: the passphrase is short (5 bytes)'
terminal 'New' 'a longer one' 'Repeat: ' 'a longer one' -- sea init --encrypt --no-store-key long >screen
lacks screen guessed
EOT

t 'an empty input is no passphrase' <<'EOT'
status $DENIED terminal 'Passphrase for ' '' -- sea -C db passwd
says out 'error[bad-password]: no passphrase given; nothing was changed'
lacks out 'no terminal'
EOT

t 'a signal at the prompt leaves the terminal as it was' <<'EOT'
sea -C db --password-file=../pw put -q '{"_id":"signal","n":1}'
terminal 'Passphrase for ' ^C -- \
  sh -c 'trap : INT; sea -C db put -q "{\"_id\":\"signal\",\"n\":2}"; echo "status $?"; stty -a' >screen
says screen 'status 130'
grep -q ' echo ' screen
# Nor is anything left of what was to be made.
mkdir there
for place in there nowhere; do
  terminal 'New passphrase for ' ^C -- sh -c "trap : INT; sea init -q --encrypt $place; echo \"status \$?\"" >screen
  says screen 'status 130'
done
[ -z "$(ls -A there)" ]
[ ! -e nowhere ]
[ "$(sea -C db get signal n)" = 1 ]
EOT

t 'programs that are started are not told where passwords are' <<'EOT'
printf '#!/bin/sh\nenv >"%s/environment"\ncat "%s/pw"\n' "$PWD" "$PWD" >tool && chmod +x tool
mkdir -p path && cp tool path/sea-tool
export SEA_NEW_PASSWORD_FILE=f SEA_ASKPASS=a SSH_ASKPASS=b SEA_PASSWORD_FILE=f KEPT=1
sea -C db --password-command="$PWD/tool" put -q '{"_id":"x","n":12}'
same environment <<EOX
$(grep -v -e '^SEA_.*PASS' -e '^SSH_ASKPASS' environment)
EOX
grep -q '^KEPT=1$' environment
rm environment
PATH="$PWD/path:$PATH" sea --password-file=pw tool >/dev/null
fails grep -e '^SEA_.*PASS' -e '^SSH_ASKPASS' environment
EOT

t 'no password is left behind' <<'EOT'
fails grep -r 'correct horse' db
EOT
