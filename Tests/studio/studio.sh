# Sourced by scripts: sea-studio and a visitor of its pages. It ends with the script.
[ -n "${IN_TEST:-}" ] || trap 'for pid in $(cat *.studio 2>/dev/null); do kill $pid && wait $pid || true; done 2>/dev/null' EXIT

# NAME FOLDER [OPTION...]: starts it for the database in FOLDER; NAME.env is for those who visit it.
start_studio() {
  name=$1 folder=$2
  shift 2
  : >"$name.address"
  sea -C "$folder" studio --no-open "$@" >"$name.address" 2>"$name.log" &
  echo $! >"$name.studio"
  for n in $(seq 300); do [ ! -s "$name.address" ] || break; sleep 0.1; done
  [ -s "$name.address" ]
  place=$(sed 's|/enter.*||' "$name.address")
  echo "place=$place jar=$PWD/$name.jar" >"$name.env"
}

# NAME: enters, as a browser does.
enter_studio() {
  . "./$1.env"
  [ "$(curl -s -o body -w '%{http_code}' -c "$jar" "$(cat "$1.address")")" = 303 ]
}

# TARGET [CURL OPTION...]: the status of a page; its text is in `body`, its headers in `head`.
page() {
  target=$1
  shift
  curl -s -o body -D head -w '%{http_code}' -b "$jar" "$@" "$place$target"
}

# TARGET FIELD...: sends a form, as a page of it does.
send() {
  target=$1
  shift
  form=$(page / >/dev/null && page "/new?type=x" >/dev/null && sed -n 's/.*name=token value="\([0-9a-f]*\)".*/\1/p' body | head -1)
  for field; do set -- "$@" --form-string "$field"; shift; done
  page "$target" -H "origin: $place" --form-string "token=$form" "$@"
}
