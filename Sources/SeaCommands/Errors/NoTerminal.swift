import SeaEngine

/// An editor that needs a terminal cannot start without one.
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
