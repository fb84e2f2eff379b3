import SeaCore
import SeaKit
import SeaSystem

/// `sea init`: make an empty database.
enum InitCommand: Command {
  static var name: String { "init" }
  static var group: Group { .setup }
  static var kind: Kind { .porcelain }
  static var summary: String { "make an empty database" }
  static var synopsis: [String] { ["[--name=LABEL] [--content-type=TYPE] [--database-id=UUID] [-n] [DIR]"] }
  static let type = Option(
    "content-type", nil, .text, "TYPE", "what kind of data it holds, such as org.example.birds")
  static let database = Option(
    "database-id", nil, .text, "UUID", "the id of the database; a new random one if not given")
  static var options: [Option] { [.instanceName, type, database, .dryRun] }
  static var operands: [Operand] { [.optional("DIR", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.success, "done, or there is a database already"),
      Exit(.incompatible, "there is a database with another id or content type"),
    ]
  }

  static func run(_ context: Context, _ arguments: Arguments) throws -> ExitStatus {
    var creation = Database.Creation()
    creation.name = try arguments.instanceName()
    if let text = arguments.text(database) {
      guard let id = UUID(text) else {
        throw UsageFault.badValue(option: "--database-id", value: text, expected: .uuid)
      }
      creation.database = id
    }
    if let text = arguments.text(type) {
      do throws(CoreError) { try Name.check(text) } catch {
        throw UsageFault.badValue(option: "--content-type", value: text, expected: .text)
      }
      creation.contentType = text
    }
    let folder = try Path.absolute(context.path(arguments.operand(0) ?? "."))
    context.warn(of: Location.hazard(of: folder))
    if arguments.has(.dryRun), try !Path.exists(Path.join(folder, Location.folderName)) {
      try context.report("would-initialize", { $0.text("dir", Path.join(folder, Location.folderName)) }) {
        context.shown("would initialize empty sea database in \(Path.join(folder, Location.folderName))")
      }
      return .success
    }
    let made = try Database.create(in: folder, creation, context.writingSettings(self))
    let there = try Database(path: made.path)
    defer { there.close() }
    let contentType = try there.contentType()
    if arguments.has(type), !UTF8Text.equal(contentType, creation.contentType) {
      throw KitError.otherContentType(path: made.path, have: contentType, want: creation.contentType)
    }
    let name = try there.name()
    try context.report("initialized") {
      $0.text("database", there.databaseID.description)
      $0.text("instance", there.instance.description)
      $0.text("name", name)
      $0.text("contentType", contentType)
      $0.text("dir", made.path)
      $0.flag("created", made.created)
    } text: {
      context.shown("\(made.created ? "Initialized empty" : "There is a") sea database in \(made.path)")
        + "\n  database \(context.short(there.databaseID))  \(context.shown(contentType))"
        + "\n  instance \(context.short(there.instance))  \(context.shown(name))"
    }
    return .success
  }
}

extension Option {
  package static let instanceName = Option(
    "name", nil, .text, "LABEL", "what people call this instance; the host's name if not given")
}

extension Arguments {
  /// The name that a new instance is to have.
  func instanceName() throws(UsageFault) -> String {
    guard let text = text(.instanceName) else {
      let host = Host.name()
      return host.isEmpty ? "sea" : host
    }
    let isGood = (1...ControlEntry.longestName).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "/"))
    guard isGood, Escape.shown(text) == text else {
      throw .badValue(option: "--name", value: text, expected: .text)
    }
    return text
  }
}

extension Context {
  func warn(of hazard: Location.Hazard?) {
    switch hazard {
    case nil: break
    case .synchronised(let client):
      warning(
        "location", "\(client) would copy the files of a database while they change and so damage it",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    case .removable:
      warning(
        "location", "a database on a removable medium is lost with it, and damaged if it is pulled out",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    }
  }
}
