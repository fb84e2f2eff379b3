t 'values are stored, found and removed' <<'EOT'
status 0 sea config set --global merge.host/ram_gb.policy max
[ ! -s out ]
status 0 sea config get merge.host/ram_gb.policy
echo max | same out
same "$HOME/.config/sea/config" <<'EOX'
[merge "host/ram_gb"]
	policy = max
EOX
status 0 sea config unset --global merge.host/ram_gb.policy
status 1 sea config get merge.host/ram_gb.policy
[ ! -s out ] && [ ! -s err ]
EOT

t 'comments survive an edit' <<'EOT'
printf '# mine\n[core]\n  abbrev = 9 ; short\n' >"$HOME/.config/sea/config"
sea config set --global core.abbrev 10
same "$HOME/.config/sea/config" <<'EOX'
# mine
[core]
  abbrev = 10 ; short
EOX
EOT

t 'stronger layers hold' <<'EOT'
[ "$(sea config get core.abbrev)" = 10 ]
[ "$(SEA_CONFIG_COUNT=1 SEA_CONFIG_KEY_0=core.abbrev SEA_CONFIG_VALUE_0=11 sea config get core.abbrev)" = 11 ]
[ "$(X=12 sea --config-env=core.abbrev=X config get core.abbrev)" = 12 ]
[ "$(sea -c core.abbrev=13 config get core.abbrev)" = 13 ]
EOT

t 'a broken file is told with its line' <<'EOT'
printf '[core]\nabbrev 9\n' >broken
SEA_CONFIG_GLOBAL=broken status 13 sea config list
says err 'broken:2:'
EOT

t 'the editor is run, and its work is checked' <<'EOT'
printf '#!/bin/sh\nprintf "[a\\n" >"$1"\n' >editor
chmod +x editor
EDITOR=./editor SEA_CONFIG_GLOBAL=$PWD/edited status 13 sea config edit --global
EDITOR=false status 14 sea config edit --global
EOT

t 'without a home everything but the global file works' <<'EOT'
HOME= status 0 sea config list
HOME= status 2 sea config set --global a.b c
EOT

t 'a file that cannot be written is status 12 and leaves no debris' <<'EOT'
echo plain >file
SEA_CONFIG_GLOBAL=file/config status 12 sea config set --global a.b c
SEA_CONFIG_GLOBAL=/proc/sys/sea status 12 sea config set --global a.b c
echo plain | same file
[ -z "$(find "$HOME/.config" . -name '.sea-tmp*')" ]
EOT

t 'what is written is compressed unless core.compress says otherwise' <<'EOT'
sea init -q a; sea init -q b
sea -C b config set core.compress false
for who in a b; do printf '{"_id":"r","text":"%s"}' "$(head -c 20000 /dev/zero | tr '\0' x)" | sea -C $who put -q -; done
size() { sea -C "$1" cat-block "$(sea -C "$1" rev-parse --instance-id)/1" | wc -c; }
[ "$(size a)" -lt 2000 ]
[ "$(size b)" -gt 20000 ]
EOT
