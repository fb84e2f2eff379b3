import SeaSystem

/// The program through which people read what is long.
struct Pager {
  static let standard = "less"

  /// What was said, or the standard one.
  let program: Program
  let name: String

  /// - Parameter setting: what the person's own settings say.
  /// - Returns: nil where none is wanted, or none is there.
  init?(_ terminal: Terminal, setting: String?) {
    let host = terminal.host
    let said = host.variable("SEA_PAGER") ?? setting ?? host.variable("PAGER")
    let text = said ?? Pager.standard
    let word = text.split(separator: " ").first.map(String.init) ?? ""
    if word.isEmpty || text == "cat" { return nil }
    if !Pager.isThere(word, host) {
      if said != nil { terminal.warning("pager", "there is no pager '\(word)'", hint: "set SEA_PAGER or core.pager") }
      return nil
    }
    name = text
    // The shell splits one that has options, as it does for git.
    program = Program(
      path: "/bin/sh", arguments: ["sh", "-c", text],
      variables: Pager.variables.filter { host.variable($0.name) == nil })
  }

  /// Of what the shell makes more than a name, it knows itself.
  private static func isThere(_ word: String, _ host: Surroundings) -> Bool {
    let signs = "|&;<>()$`\\\"'*?[#~=%{}"
    if word.contains(where: signs.contains) { return true }
    if word.contains("/") { return host.isExecutable(word) }
    return (host.variable("PATH") ?? "").split(separator: ":").contains { host.isExecutable("\($0)/\(word)") }
  }

  /// It ends by itself where everything is on one screen, shows colours, and leaves on the screen what it has shown.
  private static let variables = [
    Program.Variable(name: "LESS", value: "FRX"), .init(name: "LV", value: "-c"),
    .init(name: "LESSCHARSET", value: "utf-8"),
  ]
}

extension Pager {
  /// What is written from now on can be read page by page, if somebody is there to do so. The pager starts with the first of it.
  /// - Parameter setting: `core.pager`; asked for only then.
  static func begin(_ terminal: Terminal, setting: @escaping () -> String?) {
    let (host, options, output) = (terminal.host, terminal.options, terminal.output)
    guard host.isTerminal(1), host.drawsAtTerminal, !options.noPager, !options.json, !options.porcelain,
      !options.zero
    else { return }
    output.willBegin = { [unowned terminal, unowned output] in
      guard let pager = Pager(terminal, setting: setting()) else { return }
      terminal.endProgress()
      do { terminal.outlet = try host.openOutlet(pager.program) } catch {
        return terminal.warning("pager", "the pager '\(pager.name)' could not be started")
      }
      output.outlet = terminal.outlet
      // It has the whole of the screen.
      if host.isTerminal(2) { (terminal.talk.outlet, terminal.talk.outlivesOutlet) = (terminal.outlet, true) }
    }
  }

  /// Waits until everything is read.
  static func end(_ terminal: Terminal) {
    terminal.output.willBegin = nil
    guard let outlet = terminal.outlet else { return }
    try? terminal.talk.flush()
    (terminal.output.outlet, terminal.talk.outlet) = (nil, nil)
    if case .exited(let status)? = outlet.end(), status == 126 || status == 127 {
      terminal.warning("pager", "the pager ended with status \(status)")
    }
    terminal.outlet = nil
  }
}
