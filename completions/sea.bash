# bash completion for sea: asks the program itself.

# The words as bash has to be given them, so that what stands in a record is never read by a shell as anything but a word: `current` is
# what is typed of it, with an open quote if there is one.
_sea_quoted() {
  local current=$1 word=$2
  case $current in
    # Between double quotes some signs have a meaning, and that of ! stays. Of a word that has the quote itself nothing is offered.
    \"*)
      [[ ${current#?} == *[\"\'\\]* || $word == *[\"!]* ]] && return 1
      word=${word//\\/\\\\} word=${word//\$/\\\$} word=${word//\`/\\\`}
      ;;
    \'*) [[ ${current#?} == *[\"\'\\]* || $word == *\'* ]] && return 1 ;;
    # A quote that is open in the middle of a word is left to who opened it.
    *[\"\']*) [[ $word == *[!A-Za-z0-9_./=:@,+-]* ]] && return 1 ;;
    *) printf -v word %q "$word" ;;
  esac
  REPLY=$word
}

# What stands before the cursor, which bash counts in bytes, and its length.
_sea_line() {
  local LC_ALL=C
  line=${COMP_LINE:0:COMP_POINT} bytes=${#line}
}

_sea() {
  local line bytes current=${COMP_WORDS[COMP_CWORD]} item word REPLY
  _sea_line
  # Bash breaks words at =, : and @ too; what stands before the break must not be repeated.
  [[ $current == [=:@] ]] && current=
  local before=${line##*[[:space:]]}
  before=${before%"$current"}
  # And takes @ for a part of what follows.
  before=${before%@}
  COMPREPLY=()
  # Files are offered where the program says so, and nowhere else.
  compopt +o default +o bashdefault 2>/dev/null
  while IFS= read -r item; do
    case $item in
      $'\tfile') compopt -o default -o bashdefault 2>/dev/null ;;
      $'\tdirectory')
        compopt -o filenames 2>/dev/null
        mapfile -t COMPREPLY < <(compgen -d -- "$current")
        ;;
      *)
        word=${item%%$'\t'*}
        _sea_quoted "$current" "${word#"$before"}" && COMPREPLY+=("$REPLY")
        ;;
    esac
  done < <(sea --complete "$line" "$bytes" 2>/dev/null)
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _sea sea
