import SeaEngine

/// Opens manual pages. Pages installed with this program take precedence over pages of the system.
enum Manual {
  /// Replaces this process with `man` for the page of a command or guide. Prints the usage instead if `man` or the page
  /// is missing, or with `--json`.
  static func open(_ topic: String, _ session: Session) throws -> ExitStatus {
    let (name, section) = parts(topic)
    let page = name == "sea" ? name : "sea-\(name)"
    if !session.options.json, let man = find("man", session) {
      let installed = installed(page, section, session)
      if try installed != nil || knows(man, section, page, session) {
        let arguments = installed.map { [$0] } ?? section.map { [$0, page] } ?? [page]
        try External.become(
          Program(path: man, arguments: ["man"] + arguments, variables: pager(session)), "man", session)
      }
    }
    if page == "sea" { return try Usage.overview(session) }
    guard let command = Commands.find(name) else {
      let found = session.options.json ? [] : Topics.find(topic)
      if !found.isEmpty { return try Usage.topics(found, session) }
      throw CommandError.noPage(
        topic,
        similar: Similarity.nearest(
          to: name, among: (Commands.names + Commands.guides.map(\.name)).filter { $0 != name }))
    }
    return try Usage.page(command, as: name, session)
  }

  /// Splits a topic such as `query`, `sea-query`, `query.7` or `sea-query(7)` into a name and a section.
  private static func parts(_ topic: String) -> (name: String, section: String?) {
    var name = topic
    var section: String?
    for (mark, end) in [(".", ""), ("(", ")")] where section == nil {
      for one in ["1", "5", "7"] where name.hasSuffix(mark + one + end) {
        (name, section) = (String(name.dropLast(mark.utf8.count + one.utf8.count + end.utf8.count)), one)
      }
    }
    return (name.hasPrefix("sea-") ? String(name.dropFirst(4)) : name, section)
  }

  private static func pager(_ session: Session) -> [Program.Variable] {
    let said = session.options.noPager ? "cat" : session.host.given("SEA_PAGER")
    return said.map { [Program.Variable(name: "MANPAGER", value: $0)] } ?? []
  }

  private static func installed(_ page: String, _ section: String?, _ session: Session) -> String? {
    guard let directory = External.ownDirectory(session) else { return nil }
    for section in section.map({ [$0] }) ?? ["1", "7", "5"] {
      for ending in ["", ".gz"] {
        let path = "\(directory)/../share/man/man\(section)/\(page).\(section)\(ending)"
        if session.host.exists(path) { return path }
      }
    }
    return nil
  }

  private static func knows(_ man: String, _ section: String?, _ page: String, _ session: Session) throws -> Bool {
    let program = Program(
      path: "/bin/sh",
      arguments: ["sh", "-c", "exec \"$0\" -w \"$@\" 2>/dev/null", man] + [section, page].compactMap { $0 })
    return try session.host.answer(program).status == 0
  }

  private static func find(_ program: String, _ session: Session) -> String? {
    External.search(session.host.variable("PATH") ?? "", for: program, session)
  }
}
