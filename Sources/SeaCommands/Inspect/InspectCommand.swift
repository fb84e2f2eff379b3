import SeaEngine
import SeaSystem
import SeaWords

/// `sea inspect`: what lies in containers, bundles, chains and blocks, byte by byte.
enum InspectCommand: Command {
  static var title: Title {
    Title("inspect", .care, .porcelain, "look into containers, bundles, chains, blocks and records")
  }
  static var synopsis: [String] {
    [
      "[--tree | --blocks | --hex] [CONTAINER | BUNDLE | INSTANCE | BLOCK | RECORD]",
      "--html=FILE [--force] [CONTAINER | BUNDLE]",
    ]
  }
  static let tree = Option("tree", help: "list the files, and what each is")
  static let blocks = Option("blocks", help: "list the blocks of each chain")
  static let hex = Option("hex", help: "print the bytes of blocks, too")
  static let html = Option(
    "html", nil, .file, "FILE", "write a page that shows all of it; nothing is loaded from elsewhere")
  static var options: [Option] { [tree, blocks, hex, html, .force] }
  static var operands: [Operand] { [.optional("CONTAINER", .place)] }
  static var exits: [Exit] {
    [
      Exit(.notFound, "nothing has that name, or it means several things"),
      Exit(.corrupt, "a block cannot be read for what it is"),
      Exit(.denied, "the block named is sealed, and its key is not here"),
      Exit(.unreachable, "the container named is away, or a part of a bundle is not there"),
      Exit(.noDatabase, "no database found, and something of it is meant"),
      Exit(.incompatible, "the place named is no container and no bundle, or one of another format"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let view = try arguments.only(of: [tree, blocks, hex, html])
    if arguments.has(.force), !arguments.has(html) { throw UsageFault.needsOneOf([html.dashed]) }
    let operand = arguments.operand(0)
    // What was handed over may have brought the `.sea` along that is found beside it.
    session.standsAlone = try operand.map { try Path.exists(session.path($0)) } ?? false
    switch try InspectTarget.of(operand, session) {
    case .place(let place, let name, let database):
      if let file = arguments.text(html) {
        return try PageFile(session, place, named: name, database).write(file, force: arguments.has(.force))
      }
      let output = InspectPlace(session, place, name)
      switch view?.key {
      case tree.key: return try output.files()
      case blocks.key: return try output.blocks(of: nil, withBytes: false)
      case hex.key: return try output.blocks(of: nil, withBytes: true)
      default: return try output.summary()
      }
    case .chain(let place, let name, let branch):
      try refuse(tree, html, view, for: "INSTANCE")
      return try InspectPlace(session, place, name).blocks(of: branch, withBytes: view?.key == hex.key)
    case .blocks(let source, let name):
      try refuse(tree, html, view, for: "BLOCK")
      return try InspectBlock(session, withBytes: view?.key == hex.key).print(source, name)
    case .record(let row, let database):
      try refuse(tree, html, view, for: "RECORD")
      return try InspectRecord(session, database).print(row)
    }
  }

  private static func refuse(_ first: Option, _ second: Option, _ view: Option?, for operand: String) throws {
    guard let view, [first.key, second.key].contains(view.key) else { return }
    throw UsageFault.excluded([view.dashed, operand])
  }
}
