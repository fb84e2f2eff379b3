# bash completion for sea: asks the program itself.
_sea() {
  local line=${COMP_LINE:0:COMP_POINT} current=${COMP_WORDS[COMP_CWORD]} word
  local LC_ALL=C
  # Bash breaks words at = and : too; what stands before the break must not be repeated.
  [[ $current == [=:] ]] && current=
  local before=${line##*[[:space:]]}
  before=${before%"$current"}
  COMPREPLY=()
  while IFS=$'\t' read -r word _; do
    COMPREPLY+=("${word#"$before"}")
  done < <(sea --complete "$line" "${#line}" 2>/dev/null)
  [[ ${COMPREPLY[0]-} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o bashdefault -o default -F _sea sea
