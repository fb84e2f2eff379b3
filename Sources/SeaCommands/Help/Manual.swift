import SeaKit

/// Manual pages: the ones that came with this program first, then the system's.
enum Manual {
  /// Becomes `man` with the page of a command or guide; without `man` or the page, and with `--json`, prints what the program
  /// itself knows.
  static func open(_ topic: String, _ session: Session) throws -> ExitStatus {
    let page = topic == "sea" || topic.hasPrefix("sea-") ? topic : "sea-\(topic)"
    if !session.options.json, let man = find("man", session) {
      let installed = installed(page, session)
      if try installed != nil || knows(man, page, session) {
        try External.become(Program(path: man, arguments: ["man", installed ?? page]), "man", session)
      }
    }
    if page == "sea" { return try Usage.overview(session) }
    guard let command = Commands.find(topic) else {
      throw CommandError.noPage(
        topic,
        similar: Similarity.nearest(
          to: topic, among: (Commands.names + Commands.guides.map(\.name)).filter { $0 != topic }))
    }
    return try Usage.page(command, as: topic, session)
  }

  /// The page under the prefix that this program is installed in.
  private static func installed(_ page: String, _ session: Session) -> String? {
    guard let directory = External.ownDirectory(session) else { return nil }
    for section in ["1", "7", "5"] {
      for ending in ["", ".gz"] {
        let path = "\(directory)/../share/man/man\(section)/\(page).\(section)\(ending)"
        if session.host.exists(path) { return path }
      }
    }
    return nil
  }

  /// Whether `man` finds a page; it is not to say so itself.
  private static func knows(_ man: String, _ page: String, _ session: Session) throws -> Bool {
    let program = Program(path: "/bin/sh", arguments: ["sh", "-c", "exec \"$0\" -w \"$1\" 2>/dev/null", man, page])
    return try session.host.answer(program).status == 0
  }

  private static func find(_ program: String, _ session: Session) -> String? {
    External.search(session.host.variable("PATH") ?? "", for: program, session)
  }
}
