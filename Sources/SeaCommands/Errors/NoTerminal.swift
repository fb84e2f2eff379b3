import SeaEngine

/// An editor that needs a terminal cannot start without one.
struct NoTerminal: Error {
  let editor: String
}

extension NoTerminal {
  var failure: Failure {
    Failure(
      .usage, "'\(editor)' cannot be started: there is no terminal",
      hint: "name an editor that needs none in SEA_EDITOR, or say on the command line what it is to be")
  }
}
