import SeaEngine
import SeaCore

import struct SeaContainer.ContainerInfo

/// `sea add-container`: attach a container.
enum AddContainerCommand: Command {
  static var title: Title {
    Title("add-container", .sync, .porcelain, needs: [.database, .lock], "attach a container to the database")
  }
  static var synopsis: [String] { ["[--create] [--read-only] [--no-auto] [--assets=FILTER] [-n] NAME LOCATION"] }
  static let create = Option("create", help: "make the container if there is none")
  static let readOnly = Option("read-only", help: "never write into it")
  static let noAuto = Option("no-auto", help: "leave it out of sync, pull and push unless named")
  static var options: [Option] { [create, readOnly, noAuto, .assets, .dryRun] }
  static var operands: [Operand] { [.one("NAME", .text), .one("LOCATION", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.usage, "bad command line, a name that is taken or not allowed, or an unknown kind of location"),
      Exit(.corrupt, "the container's info.json is damaged"),
      Exit(.partial, "the container is still arriving: its info.json is not whole, or not there yet"),
      Exit(
        .unreachable,
        "there is no container at LOCATION, and --create was not given, or there is no folder to make it in"),
      Exit(.incompatible, "the container holds another database or another type of content"),
      Exit(
        .system,
        "a database, a container or files of others lie there or around it, or an input/output error"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(create), arguments.has(readOnly) { throw UsageFault.excluded(["--create", "--read-only"]) }
    var setting = ContainerSetting(name: arguments.operands[0], location: try session.location(arguments.operands[1]))
    setting.isReadOnly = arguments.has(readOnly)
    setting.assets = try arguments.assetRule()?.description
    setting.isAutomatic = !arguments.has(noAuto)
    let isDry = arguments.has(.dryRun)
    let database = isDry ? try session.reading() : try session.writing(as: self)
    let added = try database.containers.add(setting, create: arguments.has(create), dryRun: isDry)
    try session.terminal.report(
      isDry ? "would-add-container" : "container-added",
      [
        "name": .text(setting.name), "location": .text(setting.location), "container": .id(added.info?.container),
        "created": .flag(added.created),
      ]
    ) {
      let verb = added.created ? "created" : "added"
      return isDry
        ? "would have \(verb) container \(setting.name): \(setting.location)"
        : "Container \(setting.name) \(verb): \(setting.location)"
    }
    return .success
  }
}
