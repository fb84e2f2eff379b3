import SeaEngine
import SeaSystem

package enum External {
  static func become(_ program: Program, _ name: String, _ session: Session) throws {
    try session.terminal.output.flush()
    do {
      try session.host.replaceProcess(program)
    } catch let error as SystemError {
      throw CommandError.notStarted(name, error)
    }
  }

  /// Searches for a program in `SEA_EXEC_PATH`, in the directory of this program and in `PATH`. Returns its path.
  static func find(_ name: String, _ session: Session) -> String? {
    guard !name.isEmpty, !name.contains("/") else { return nil }
    let own = ownDirectory(session)
    for list in [session.host.variable("SEA_EXEC_PATH"), own, session.host.variable("PATH")] {
      if let list, let path = search(list, for: "sea-\(name)", session) { return path }
    }
    return nil
  }

  static func ownDirectory(_ session: Session) -> String? {
    guard let path = session.host.executable(), let slash = path.lastIndex(of: "/") else { return nil }
    return slash == path.startIndex ? "/" : String(path[..<slash])
  }

  /// Searches the directories in a path list. Skips empty entries, which a shell takes as the current directory.
  static func search(_ list: String, for program: String, _ session: Session) -> String? {
    list.split(separator: ":").lazy.map { "\($0)/\(program)" }.first(where: session.host.isExecutable)
  }

  static func variables(_ session: Session) -> [Program.Variable] {
    let options = session.options
    var result: [Program.Variable] = []
    func set(_ name: String, _ value: String) { result.append(.init(name: name, value: value)) }
    if let directory = options.seaDirectory { set("SEA_DIR", session.path(directory)) }
    if options.literalIDs { set("SEA_LITERAL_IDS", "1") }
    if options.noHooks { set("SEA_NO_HOOKS", "1") }
    if let wait = options.lockWait { set("SEA_LOCK_WAIT", wait) }
    var count = session.host.variable("SEA_CONFIG_COUNT").flatMap { Int($0) } ?? 0
    for (text, isVariable) in options.settingVariables.map({ ($0, true) }) + options.settings.map({ ($0, false) }) {
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      set("SEA_CONFIG_KEY_\(count)", parts[0])
      let value = parts.count == 2 ? parts[1] : "true"
      set("SEA_CONFIG_VALUE_\(count)", isVariable ? session.host.variable(value) ?? "" : value)
      count += 1
      set("SEA_CONFIG_COUNT", String(count))
    }
    return result
  }
}
