# fish completion for sea-server.
complete --command sea-server --no-files
complete --command sea-server --long-option config --require-parameter --force-files --description 'the file of settings'
complete --command sea-server --condition 'not __fish_seen_subcommand_from add-token' --arguments add-token --description 'make a token'
complete --command sea-server --condition 'not __fish_seen_subcommand_from add-token' --long-option help --description 'how it is called'
complete --command sea-server --condition 'not __fish_seen_subcommand_from add-token' --long-option version --description 'which version it is'
complete --command sea-server --condition '__fish_seen_subcommand_from add-token' --long-option append-only --description 'it takes only what is new'
complete --command sea-server --condition '__fish_seen_subcommand_from add-token' --long-option read-only --description 'it takes nothing'
complete --command sea-server --condition '__fish_seen_subcommand_from add-token' --long-option metrics --description 'it is for the metrics'
complete --command sea-server --condition '__fish_seen_subcommand_from add-token' --long-option days --exclusive --description 'it ends after so many days'
