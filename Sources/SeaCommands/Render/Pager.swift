import SeaSystem

/// The program that shows long output page by page.
struct Pager {
  static let standard = "less"

  let program: Program
  let name: String

  /// - Returns: nil if no pager is wanted or none is installed.
  init?(_ terminal: Terminal, setting: String?) {
    let host = terminal.host
    let said = host.variable("SEA_PAGER") ?? setting ?? host.variable("PAGER")
    let text = said ?? Pager.standard
    let word = text.split(separator: " ").first.map(String.init) ?? ""
    if word.isEmpty || text == "cat" { return nil }
    if !Pager.isThere(word, host) {
      if said != nil { terminal.warning("pager", "pager '\(word)' not found", hint: "set SEA_PAGER or core.pager") }
      return nil
    }
    name = text
    // As in git, the shell splits the pager command into words.
    program = Program(
      path: "/bin/sh", arguments: ["sh", "-c", text],
      variables: Pager.variables.filter { host.variable($0.name) == nil })
  }

  /// Returns whether the program exists. Returns true for a word that contains shell syntax, because only the shell can
  /// resolve it.
  private static func isThere(_ word: String, _ host: Environment) -> Bool {
    let signs = "|&;<>()$`\\\"'*?[#~=%{}"
    if word.contains(where: signs.contains) { return true }
    if word.contains("/") { return host.isExecutable(word) }
    return (host.variable("PATH") ?? "").split(separator: ":").contains { host.isExecutable("\($0)/\(word)") }
  }

  /// With these variables, the pager exits if everything fits on one screen, shows colors, and keeps its text on the
  /// screen.
  private static let variables = [
    Program.Variable(name: "LESS", value: "FRX"), .init(name: "LV", value: "-c"),
    .init(name: "LESSCHARSET", value: "utf-8"),
  ]
}

extension Pager {
  /// Sends the output to a pager if a person reads the output. The pager is started when there is something to show.
  /// - Parameter setting: returns the value of `core.pager`; called only if it is needed.
  static func begin(_ terminal: Terminal, setting: @escaping () -> String?) {
    let (host, options, output) = (terminal.host, terminal.options, terminal.output)
    guard host.isTerminal(1), host.drawsAtTerminal, !options.noPager, !options.json, !options.porcelain,
      !options.zero
    else { return }
    output.willBegin = { [unowned terminal, unowned output] in
      guard let pager = Pager(terminal, setting: setting()) else { return }
      terminal.endProgress()
      do { terminal.outlet = try host.openOutlet(pager.program) } catch {
        return terminal.warning("pager", "cannot start pager '\(pager.name)'")
      }
      output.outlet = terminal.outlet
      // The pager occupies the whole screen, so messages are also sent to the pager.
      if host.isTerminal(2) {
        (terminal.standardError.outlet, terminal.standardError.fallsBackToStream) = (terminal.outlet, true)
      }
    }
  }

  static func end(_ terminal: Terminal) {
    terminal.output.willBegin = nil
    guard let outlet = terminal.outlet else { return }
    try? terminal.standardError.flush()
    (terminal.output.outlet, terminal.standardError.outlet) = (nil, nil)
    if case .exited(let status)? = outlet.end(), status == 126 || status == 127 {
      terminal.warning("pager", "the pager failed with status \(status)")
    }
    terminal.outlet = nil
  }
}
