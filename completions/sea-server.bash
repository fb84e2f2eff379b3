# bash completion for sea-server.
_sea_server() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} words
  # Bash breaks words at = too.
  case $line in
    *--config=*[[:space:]]*) ;;
    *--config=*)
      [[ $current == = ]] && current=
      compopt -o filenames 2>/dev/null
      mapfile -t COMPREPLY < <(compgen -f -- "$current")
      return 0
      ;;
  esac
  case $line in
    *[[:space:]]add-token[[:space:]]*) words='--config= --append-only --read-only --metrics --days=' ;;
    *) words='--config= add-token --help --version' ;;
  esac
  mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -F _sea_server sea-server
