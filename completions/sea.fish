# fish completion for sea: asks the program itself.
function __sea_complete
    set -l line (commandline --cut-at-cursor --current-process | string collect)
    set -l token (commandline --current-token --cut-at-cursor | string collect)
    for item in (sea --complete "$line" (printf %s "$line" | wc -c) 2>/dev/null)
        # Files are offered where the program says so, and nowhere else.
        switch $item
            case \tfile
                set -l head (string match --regex -- '^--[a-z-]+=' $token)
                __fish_complete_path (string replace -- "$head" '' $token) | string replace --regex '^' -- "$head"
            case \tdirectory
                set -l head (string match --regex -- '^--[a-z-]+=' $token)
                __fish_complete_directories (string replace -- "$head" '' $token) | string replace --regex '^' -- "$head"
            case '*'
                printf '%s\n' $item
        end
    end
end
complete --command sea --no-files --arguments '(__sea_complete)'
