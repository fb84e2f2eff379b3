import SeaEngine
import SeaCore

import struct SeaContainer.ContainerInfo

enum AddContainerCommand: Command {
  static var title: Title {
    Title("add-container", .sync, .porcelain, needs: [.database, .lock], "attach a container to the database")
  }
  static var synopsis: [String] { ["[--create] [--read-only] [--no-auto] [--assets=FILTER] [-n] NAME LOCATION"] }
  static let create = Option("create", help: "create the container if it does not exist")
  static let readOnly = Option("read-only", help: "never write to the container")
  static let noAuto = Option("no-auto", help: "use the container only in commands that name it")
  static var options: [Option] { [create, readOnly, noAuto, .assets, .dryRun] }
  static var operands: [Operand] { [.one("NAME", .text), .one("LOCATION", .directory)] }
  static var exits: [Exit] {
    [
      Exit(.usage, "bad command line, a name that is in use or invalid, or an unknown kind of location"),
      Exit(.corrupt, "the container's info.json is damaged"),
      Exit(.partial, "the container is incomplete: its info.json is missing or not yet fully copied"),
      Exit(.unreachable, "no container at LOCATION and no --create, or no folder to create it in"),
      Exit(.incompatible, "the container has another database or content type"),
      Exit(.system, "LOCATION is inside a database or container or has other files, or an input/output error"),
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
