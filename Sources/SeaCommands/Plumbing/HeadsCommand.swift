import SeaCore
import SeaEngine

enum HeadsCommand: Command {
  static var title: Title { Title("heads", .plumbing, .plumbing, "print the last block of each chain") }
  static var synopsis: [String] { ["[--container=CONTAINER | --bundle=FILE] [--have=FILE]"] }
  static let container = Option(
    "container", nil, .container, "CONTAINER", "print the heads of a container (a name or path)")
  static let have = Option(
    "have", nil, .file, "FILE", "print what is missing compared with the heads in FILE ('-': standard input)")
  static let bundle = Option(
    "bundle", nil, .file, "FILE", "print the heads of a database that has imported the bundle FILE")
  static var options: [Option] { [container, bundle, have] }
  static var exits: [Exit] {
    [
      Exit(.corrupt, "with --have: a chain has forked; or the bundle is damaged"),
      Exit(.unreachable, "the container or bundle is unavailable"),
      Exit(.noDatabase, "no database found, and no container given"),
      Exit(.incompatible, "not a container or bundle, or the container now belongs to another database"),
      Exit(.badData, "a line of FILE is not a head"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    _ = try arguments.only(of: [container, bundle])
    let ours: [BlockRef]
    if let name = arguments.text(bundle) {
      ours = try BundleProbe.heads(of: session.path(name), named: name, temporary: session.temporaryFolder)
    } else {
      ours = try heads(session, arguments.text(container))
    }
    guard let file = arguments.text(have) else {
      for head in ours { try print(head, from: nil, session) }
      return .success
    }
    let theirs = try HeadsInput.read(file, session)
    for lack in MissingBlocks.of(theirs, in: ours) { try print(lack.head, from: lack.from, session) }
    let forks = MissingBlocks.forks(theirs, in: ours)
    for fork in forks { session.terminal.warning("fork", "\(fork) differs on the other side") }
    return forks.isEmpty ? .success : .corrupt
  }

  private static func heads(_ session: Session, _ name: String?) throws -> [BlockRef] {
    guard let name else {
      let database = try session.reading()
      return try database.containers.heads()
    }
    let database = try? session.reading()
    let location = try session.location(name)
    return try Containers.heads(
      in: database?.containers.container(name, orAt: location) ?? Containers.at(location, session.helpers))
  }

  private static func print(_ head: BlockRef, from: UInt32?, _ session: Session) throws {
    guard session.options.json else {
      let rest = from.map { [String($0)] } ?? []
      return try session.terminal.fields([head.branch.description, String(head.index), head.digest.description] + rest)
    }
    var item = Item(head: head)
    item.add(["from": .integer(from)])
    try session.terminal.object(item)
  }
}
