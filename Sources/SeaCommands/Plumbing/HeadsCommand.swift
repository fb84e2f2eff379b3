import SeaCore
import SeaKit

/// `sea heads`: the last block of every chain.
enum HeadsCommand: Command {
  static var name: String { "heads" }
  static var group: Group { .plumbing }
  static var kind: Kind { .plumbing }
  static var summary: String { "print the last block of every chain" }
  static var synopsis: [String] { ["[--container=CONTAINER] [--have=FILE]"] }
  static let container = Option(
    "container", nil, .container, "CONTAINER", "of a container, by its name or path, instead of the database")
  static let have = Option(
    "have", nil, .file, "FILE", "print what is missing on the side whose heads are in FILE ('-': standard input)")
  static var options: [Option] { [container, have] }
  static var exits: [Exit] {
    [
      Exit(.corrupt, "the two sides have different blocks at the same place, with --have"),
      Exit(.unreachable, "the container is away"),
      Exit(.noDatabase, "no database found, and no container is given"),
      Exit(.incompatible, "the place named is no container, or holds another database than before"),
      Exit(.badData, "a line of FILE is not a head"),
    ]
  }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    let ours = try heads(context, arguments.text(container))
    guard let file = arguments.text(have) else {
      for head in ours { try print(head, from: nil, context) }
      return .success
    }
    let theirs = try read(file, context)
    for lack in Lack.of(theirs, in: ours) { try print(lack.head, from: lack.from, context) }
    let forks = Lack.forks(theirs, in: ours)
    for fork in forks { context.warning("fork", "\(fork.chain)/\(fork.index) is another block on the other side") }
    return forks.isEmpty ? .success : .corrupt
  }

  private static func heads(_ context: Context, _ name: String?) throws -> [Head] {
    guard let name else {
      let database = try context.reading()
      defer { database.close() }
      return try database.heads()
    }
    let database = try? context.reading()
    defer { database?.close() }
    return try Database.heads(in: name, at: context.location(name), of: database)
  }

  private static func print(_ head: Head, from: UInt32?, _ context: Context) throws {
    if context.options.json {
      return try context.object {
        $0.text("instance", head.chain)
        $0.integer("index", head.index)
        $0.text("hash", head.digest.description)
        if let from { $0.integer("from", from) }
      }
    }
    try context.fields([head.chain, String(head.index), head.digest.description] + (from.map { [String($0)] } ?? []))
  }

  /// Further fields of a line are ignored, so that the output of `--have` can be read too.
  private static func read(_ file: String, _ context: Context) throws -> [Head] {
    let input = try context.reader(file)
    var heads: [Head] = []
    var number = 0
    while let line = try input.line() {
      number += 1
      if line.isEmpty { continue }
      let fields = String(decoding: line, as: UTF8.self).split(separator: "\t", omittingEmptySubsequences: false)
      guard fields.count >= 3, UUID(fields[0].prefix(36)) != nil, let index = UInt32(fields[1]),
        let digest = Digest(hex: String(fields[2]))
      else {
        let name = file == "-" ? "standard input" : file
        throw CommandError.badLine(name: name, line: number, .notAHead)
      }
      heads.append(Head(chain: String(fields[0]), index: index, digest: digest))
    }
    return heads
  }
}
