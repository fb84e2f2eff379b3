import SeaEngine

/// An editor that needs a terminal was started without a terminal.
struct NoTerminal: Error {
  let editor: String
}

extension NoTerminal {
  var failure: Failure {
    Failure(
      .usage, "cannot start '\(editor)': no terminal",
      hint: "set SEA_EDITOR to an editor that needs no terminal, or give the value as an argument")
  }
}
