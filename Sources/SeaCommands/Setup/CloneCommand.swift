import SeaKit
import SeaSystem
import SeaCore

/// `sea clone`: a new instance of the database that a container holds.
enum CloneCommand: Command {
  static var title: Title {
    Title("clone", .setup, .porcelain, "make a new instance of the database in a container or in bundles")
  }
  static var synopsis: [String] { ["[--name=LABEL] [--assets=FILTER] [--no-store-key] [--restore] [-n] SOURCE [DIR]"] }
  static let restore = Option("restore", help: "of a backup also the settings; hooks come, and are off")
  static var options: [Option] { [.instanceName, .assets, .noStoreKey, restore, .dryRun] }
  static var operands: [Operand] { [.one("SOURCE", .container), .optional("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "there are bundles of several databases in SOURCE"),
      Exit(.corrupt, "something at SOURCE does not verify; what does was taken in"),
      Exit(.denied, "the passphrase does not open what is at SOURCE"),
      Exit(.partial, "a bundle starts behind blocks that are in no other one at SOURCE"),
      Exit(.unreachable, "there is nothing at SOURCE"),
      Exit(.incompatible, "SOURCE is no container and no bundle, or one of a newer format"),
      Exit(.system, "there is a database in DIR already, or an input/output error"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if let status = try BundleClone.run(session, arguments) { return status }
    let location = try session.location(arguments.operands[0])
    let folder = try Path.absolute(session.path(arguments.operand(1) ?? Location.folder(forCloneOf: location)))
    let name = try arguments.instanceName()
    session.terminal.warn(of: Location.hazard(of: folder))
    if arguments.has(.dryRun) { return try preview(session, location, folder) }
    var settings = try session.writingSettings(self)
    settings.keepsKeys = !arguments.has(.noStoreKey)
    settings.expectsSealed = session.options.namesPassword
    let (database, exchange) = try Database.clone(
      location, to: folder, name: name, assets: arguments.assetRule(), settings)
    defer { database.close() }
    try session.terminal.warnOfOpenKey(database)
    if try database.isPending() { return try session.terminal.tellOfRequest(database, name) }
    let status = try session.terminal.report(cloned: database, name, exchange, assets: exchange.assets)
    try session.terminal.noticeIfPending(database)
    return status
  }

  private static func preview(_ session: Session, _ location: String, _ folder: String) throws -> ExitStatus {
    let found = try Containers.survey(ofContainerAt: location)
    try session.terminal.report(
      "would-clone",
      [
        "database": .id(found.database), "content_type": .text(found.contentType),
        "dir": .text(Path.join(folder, Location.folderName)), "blocks": .integer(found.blocks),
      ]
    ) {
      "would clone database \(session.terminal.short(found.database)) (\(found.contentType)) into \(folder)"
        + ": \(Count(found.blocks, "block")) of \(Count(found.chains, "instance"))"
    }
    return .success
  }
}
