import SeaEngine
import SeaSystem

/// A user's program that merges two versions, defined by the setting `driver.NAME` or `tool.NAME`.
package struct MergeProgram {
  package enum Scope: String {
    /// Each file contains a record.
    case record
    /// Each file contains the value of one property.
    case property
  }

  package enum Kind {
    /// A command line, split into words. In each word, `%O`, `%A` and so on are placeholders for files.
    case driver([String])
    /// A shell command that receives the paths of the files in variables.
    case tool(String)
  }

  /// The versions to merge, as JSON; nil for a missing or deleted version.
  struct Versions {
    let id: String
    let type: String?
    let base, ours, theirs: [UInt8]?
    var merged: [UInt8]?
  }

  enum Outcome: Equatable {
    case merged([UInt8])
    case nothing
    case stays
  }

  static let longest = 64 << 20

  let name: String
  package let kind: Kind
  package private(set) var scope = Scope.record

  var title: String {
    switch kind {
    case .driver: "driver '\(name)'"
    case .tool: "tool '\(name)'"
    }
  }

  private init(_ name: String, _ kind: Kind) {
    self.name = name
    self.kind = kind
  }

  /// - Throws: `ProgramError` if the user's own settings do not define the driver.
  package static func driver(_ name: String, _ session: Session) throws -> MergeProgram {
    let key = "driver.\(name).command"
    guard let text = try session.ownSetting(key) else {
      throw ProgramError.unknown(program: "driver '\(name)'", setting: key)
    }
    guard let words = CommandWords.split(text) else {
      throw ProgramError.badSetting(key, value: text, wanted: "a command")
    }
    var program = MergeProgram(name, .driver(words))
    if let text = try session.ownSetting("driver.\(name).scope") {
      guard let scope = Scope(rawValue: text) else {
        throw ProgramError.badSetting("driver.\(name).scope", value: text, wanted: "record or property")
      }
      program.scope = scope
    }
    return program
  }

  package static func tool(_ name: String?, _ session: Session) throws -> MergeProgram {
    guard let name = try name ?? session.ownSetting("merge.tool") else {
      throw ProgramError.unknown(program: "merge tool", setting: "merge.tool")
    }
    let key = "tool.\(name).command"
    guard let text = try session.ownSetting(key) else {
      throw ProgramError.unknown(program: "tool '\(name)'", setting: key)
    }
    return MergeProgram(name, .tool(text))
  }

  /// Runs the program on temporary files in the database folder. The caller must not hold a lock.
  func merge(_ versions: Versions, _ database: Database, _ session: Session) throws -> Outcome {
    let folder = try database.folder.temporaryFolder()
    defer { folder.remove() }
    for (file, bytes) in [
      (File.base, versions.base), (.ours, versions.ours), (.theirs, versions.theirs), (.merged, versions.merged),
    ] where file != .merged || isTool {
      try folder.write(file.rawValue, bytes ?? [])
    }
    var program = program(versions) { folder.path(of: $0.rawValue) }
    if !isTool { program.directory = Path.parent(try database.folder.absolutePath()) }
    let ending: Launch.Ending
    do {
      ending = try session.run(program, named: title)
    } catch CommandError.notStarted(_, let error) {
      throw ProgramError.notStarted(program: title, error)
    }
    if ending.isInterrupt { throw ProgramError.interrupted }
    guard ending == .exited(0) else {
      if case .exited(let status) = ending, isTool || status < 128 { return .stays }
      throw ProgramError.failed(program: title, id: versions.id, ending)
    }
    return try result(folder, versions.id)
  }

  private enum File: String {
    case base = "base.json"
    case ours = "ours.json"
    case theirs = "theirs.json"
    case merged = "merged.json"
  }

  private var isTool: Bool { if case .tool = kind { true } else { false } }

  private func program(_ versions: Versions, _ path: (File) -> String) -> Program {
    switch kind {
    case .driver(let words):
      let values: [Character: String] = [
        "O": path(.base), "A": path(.ours), "B": path(.theirs), "P": versions.id, "T": versions.type ?? "", "%": "%",
      ]
      let filled = words.map { MergeProgram.filled($0, values) }
      var program = Program(path: filled[0], arguments: filled)
      program.input = .none
      program.printsToError = true
      return program
    case .tool(let text):
      var program = Program(path: "/bin/sh", arguments: ["sh", "-c", text])
      program.variables = [("BASE", File.base), ("LOCAL", .ours), ("REMOTE", .theirs), ("MERGED", .merged)].map {
        .init(name: $0.0, value: path($0.1))
      }
      return program
    }
  }

  /// Replaces the placeholders in a word. Placeholders in the inserted values are not replaced.
  package static func filled(_ word: String, _ values: [Character: String]) -> String {
    var result = ""
    var rest = word[...]
    while let percent = rest.firstIndex(of: "%") {
      result += rest[..<percent]
      rest = rest[rest.index(after: percent)...]
      guard let next = rest.first, let value = values[next] else {
        result += "%"
        continue
      }
      result += value
      rest.removeFirst()
    }
    return result + rest
  }

  private func result(_ folder: TemporaryFolder, _ id: String) throws -> Outcome {
    let bytes: [UInt8]?
    do throws(SystemError) {
      bytes = try folder.read((isTool ? File.merged : .ours).rawValue, limit: MergeProgram.longest)
    } catch {
      throw ProgramError.noResult(program: title, id: id, error)
    }
    guard let bytes else { throw ProgramError.tooLarge(program: title, id: id, limit: MergeProgram.longest) }
    let isEmpty = bytes.allSatisfy { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
    return isEmpty ? .nothing : .merged(bytes)
  }
}
