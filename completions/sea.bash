# bash completion for sea: asks the program itself.
_sea() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} item word
  local LC_ALL=C
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
        word=${word#"$before"}
        case $current in *[\"\'\\]*) ;; *) [[ $word == *[\ \$\&\;\<\>\(\)\|\`\"\'*?#]* ]] && printf -v word %q "$word" ;; esac
        COMPREPLY+=("$word")
        ;;
    esac
  done < <(sea --complete "$line" "${#line}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _sea sea
