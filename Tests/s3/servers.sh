# Sourced by scripts: two S3 servers on the loopback, one that writes under a condition and one that does not know it.
# What `start` has started ends with the script. The settings of each are in ./env-NAME.
S3_SERVERS=$SEA_TEST_ROOT/.build/s3-servers
# Nothing of whoever runs this gets in.
unset AWS_PROFILE AWS_SESSION_TOKEN AWS_REGION AWS_DEFAULT_REGION AWS_ENDPOINT_URL_S3 http_proxy HTTP_PROXY
trap 'for pid in $(cat *.pid); do kill -KILL $pid && wait $pid || true; done 2>/dev/null' EXIT

free_port() {
  /usr/bin/python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'
}

# NAME PORT: the settings, and waiting for the server.
ready() {
  cat >"env-$1" <<EOX
export AWS_ACCESS_KEY_ID=KEYID AWS_SECRET_ACCESS_KEY=secret+/key AWS_ENDPOINT_URL=http://127.0.0.1:$2
export AWS_CONFIG_FILE=/dev/null AWS_SHARED_CREDENTIALS_FILE=/dev/null
EOX
  for n in $(seq 200); do
    /usr/bin/python3 -c "import socket; socket.create_connection(('127.0.0.1', $2), 1)" 2>/dev/null && return
    sleep 0.1
  done
}

# It honors If-None-Match, and looks at no signature.
start_moto() {
  moto=${1:-$(free_port)}
  "$S3_SERVERS/bin/moto_server" -H 127.0.0.1 -p "$moto" >moto.log 2>&1 &
  echo $! >moto.pid
  ready moto "$moto"
  /usr/bin/python3 -c "import urllib.request as u; u.urlopen(u.Request('http://127.0.0.1:$moto/bucket', method='PUT'))"
}

# It checks signatures, and passes over If-None-Match.
start_rclone() {
  rclone=${1:-$(free_port)}
  mkdir -p store/bucket
  "$S3_SERVERS/bin/rclone" serve s3 --config /dev/null --addr "127.0.0.1:$rclone" --auth-key 'KEYID,secret+/key' \
    --vfs-cache-mode off store >rclone.log 2>&1 &
  echo $! >rclone.pid
  ready rclone "$rclone"
}

# NAME UPSTREAM-PORT OPTIONS...: a proxy in front of a server, with its own settings.
start_proxy() {
  name=$1
  shift
  mkdir -p "$name"
  /usr/bin/python3 "$SEA_TEST_ROOT/Tests/s3/proxy.py" "$1" "$name" $2 &
  echo $! >"$name.pid"
  for n in $(seq 1000); do [ -f "$name/port" ] && break || sleep 0.1; done
  ready "$name" "$(cat "$name/port")"
}
