# fish completion for sea: asks the program itself.
function __sea_complete
    set -l line (commandline --cut-at-cursor --current-process | string collect)
    set -l found (sea --complete "$line" (printf %s "$line" | wc -c) 2>/dev/null)
    if set -q found[1]
        printf '%s\n' $found
    else
        __fish_complete_path (commandline --current-token)
    end
end
complete --command sea --no-files --arguments '(__sea_complete)'
