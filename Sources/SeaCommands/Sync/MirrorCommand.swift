import SeaCore
import SeaEngine

import protocol SeaContainer.Container

enum MirrorCommand: Command {
  static var title: Title { Title("mirror", .sync, .porcelain, "copy what one container lacks from another") }
  static var stopsWell: Bool { true }
  static var synopsis: [String] { ["[-n] [--both] \(Option.limitForms) FROM TO"] }
  static let both = Option("both", help: "copy in the other direction, too")
  static var options: [Option] { [both] + Option.limits + [.dryRun] }
  static var operands: [Operand] { [.one("FROM", .directory), .one("TO", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.corrupt, "damaged data was not copied; the rest was"),
      Exit(.partial, "a limit was reached, FROM is incomplete, or purged data is unknown here"),
      Exit(.unreachable, "FROM does not exist, or there is no folder to create TO in"),
      Exit(.incompatible, "one of the two is not a container, or they have different databases"),
      Exit(.system, "a target is inside a database or container, or an input/output error"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    session.ignoresDatabase = true
    try arguments.limit(session)
    let from = try Containers.at(session.location(arguments.operands[0]), session.helpers)
    let to = try Containers.at(session.location(arguments.operands[1]), session.helpers)
    let isDry = arguments.has(.dryRun)
    let database = try? session.reading()
    // The keys are only used to read purge orders.
    func keys(_ source: Container) -> KeyRing? {
      guard let database, (try? source.info().database) == database.databaseID else { return nil }
      return try? database.keychain.availableKeyRing()
    }
    var status = ExitStatus.success
    var (blocks, assets, problems) = (0, 0, 0)
    func copy(_ source: Container, _ target: Container) throws {
      let ring = keys(source)
      var result = try Mirror.copy(
        from: source, to: target, keys: ring, own: database?.folder.path, dryRun: isDry,
        allowance: session.allowance, progress: session.terminal.workReport)
      try Verification.repairAssets(
        of: target, from: source, keys: ring, readsAll: false, dryRun: isDry, progress: session.terminal.workReport,
        &result)
      if !isDry { for problem in result.mended.prefix(20) { try session.terminal.report(problem) } }
      for problem in result.problems { try session.terminal.report(problem) }
      if result.problems.contains(where: { $0.isError }) { status = status.and(.corrupt) }
      let isPartial = result.problems.contains { $0.isUnreadRemoval || $0.code == .incomplete }
      if result.limit != nil || isPartial { status = status.and(.partial) }
      blocks += result.blocks
      assets += result.assets
      problems += result.problems.count
      var item: Item = [
        "from": .text(source.location), "to": .text(target.location), "blocks": .integer(result.blocks),
        "chains": .integer(result.chains), "assets": .integer(result.assets), "created": .flag(result.created),
        "emptied": .integer(result.emptied),
      ]
      item.add(.left(result.left, result.limit))
      try session.terminal.report(isDry ? "would-mirror" : "mirrored", item) {
        let files = result.assets > 0 ? ", \(Count(result.assets, "asset file"))" : ""
        let purged = result.emptied > 0 ? ", \(result.emptied) purged there" : ""
        let what = "\(Count(result.blocks, "block")) of \(Count(result.chains, "chain"))\(files)\(purged)"
        let left = result.limit.map { ", " + result.left.words($0) } ?? ""
        return "\(target.location): \(isDry ? "would receive" : "received") \(what)\(left)"
      }
    }
    if arguments.has(both) { try Mirror.checkPlace(of: from, own: database?.folder.path) }
    try copy(from, to)
    // In a dry run, a container that would have been created does not exist, so there is nothing to copy from it.
    if arguments.has(both), !isDry || (try? to.info()) != nil { try copy(to, from) }
    session.terminal.summarize(["blocks": .integer(blocks), "assets": .integer(assets), "problems": .integer(problems)])
    return status
  }
}
