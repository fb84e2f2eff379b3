# Sourced by scripts: a sea-server on the loopback, over TLS with an authority of its own.
# What is started here ends with the script; a test that starts one says IN_TEST=1 before.
SERVER=$(dirname "$(realpath "$(command -v sea)")")/sea-server
unset SEA_TOKEN SEA_TOKEN_FILE SEA_TOKEN_COMMAND SEA_CA_FILE http_proxy https_proxy HTTP_PROXY HTTPS_PROXY
[ -n "${IN_TEST:-}" ] || trap 'for pid in $(cat *.pid); do kill -KILL $pid && wait $pid || true; done 2>/dev/null' EXIT

# An authority, and a certificate for this machine.
make_certificate() {
  new="openssl req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
  $new -x509 -keyout ca.key -out ca.pem -days 3000 -subj /CN=authority 2>/dev/null
  $new -keyout key.pem -out request.pem -subj /CN=localhost 2>/dev/null
  echo 'subjectAltName=DNS:localhost,IP:127.0.0.1' >names
  openssl x509 -req -in request.pem -CA ca.pem -CAkey ca.key -CAcreateserial -days 3000 -extfile names -out cert.pem 2>/dev/null
}

# NAME [SETTING...]: settings in NAME.conf, over TLS unless there is a setting `plain`.
make_settings() {
  name=$1
  shift
  {
    echo "containers = containers"
    echo "tokens = tokens"
    echo "sea = $(realpath "$(command -v sea)")"
    case " $* " in *" plain "*) ;; *) printf 'certificate = cert.pem\nkey = key.pem\n' ;; esac
    case " $* " in *"listen ="*) ;; *) echo "listen = 127.0.0.1:0" ;; esac
    for setting; do [ "$setting" = plain ] || echo "$setting"; done
  } >"$name.conf"
}

# NAME: starts it; the port is in NAME.port.
start_server() {
  touch "$1.log"
  before=$(grep -c 'listening on' "$1.log" || true)
  "$SERVER" --config="$1.conf" 2>>"$1.log" &
  echo $! >"$1.pid"
  for n in $(seq 1000); do [ "$(grep -c 'listening on' "$1.log")" -eq "$before" ] || break; sleep 0.1; done
  is_running "$1"
  sed -n 's/.*listening on .*:\([0-9]*\)$/\1/p' "$1.log" | tail -1 >"$1.port"
  [ -s "$1.port" ]
}

# NAME [SIGNAL]: ends it, and waits for that.
stop_server() {
  kill "-${2:-TERM}" "$(cat "$1.pid")"
  for n in $(seq 1000); do is_running "$1" || return 0; sleep 0.1; done
  return 1
}

# One that has ended and was not waited for yet is none.
is_running() { grep -qs '^State:[^Z]*$' "/proc/$(cat "$1.pid")/status"; }

# NAME OPTIONS...: a token, in NAME.token.
make_token() {
  (umask 077 && set -f && "$SERVER" add-token --config=main.conf $2 "$1" $3 >"$1.token")
}
