# Sourced by scripts: a server of ssh of one's own, on the loopback, with keys of its own. What reaches it is in ./env.
start_ssh() {
  port=$(/usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])')
  ssh-keygen -q -t ed25519 -N '' -f host
  ssh-keygen -q -t ed25519 -N '' -f key
  printf '[127.0.0.1]:%s %s\n' "$port" "$(cut -d' ' -f1,2 host.pub)" >known
  cp key.pub authorized
  [ "$(id -u)" -ne 0 ] || mkdir -p /run/sshd
  cat >sshd.conf <<EOX
Port $port
ListenAddress 127.0.0.1
HostKey $PWD/host
PidFile none
AuthorizedKeysFile $PWD/authorized
StrictModes no
UsePAM no
PasswordAuthentication no
KbdInteractiveAuthentication no
SetEnv PATH=$(dirname "$(command -v sea)"):/usr/bin:/bin
EOX
  /usr/sbin/sshd -D -e -f sshd.conf 2>sshd.log &
  echo $! >sshd.pid
  cat >env <<EOX
export SEA_SSH="ssh -F none -i $PWD/key -o IdentitiesOnly=yes -o BatchMode=yes -o UserKnownHostsFile=$PWD/known"
hub=ssh://$(id -un)@127.0.0.1:$port$PWD
EOX
  for n in $(seq 1000); do grep -q 'Server listening' sshd.log && break; sleep 0.1; done
}
