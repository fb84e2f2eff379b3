import SeaEngine
import SeaCore

/// The options and operands with which several commands select assets.
enum AssetOptions {
  static let types = Option("type", "t", .type, "TYPE", "select only assets of records of this type", repeatable: true)
  static let maxSize = Option("max-size", nil, .size, "SIZE", "select only assets of at most SIZE bytes")
  static let minSize = Option("min-size", nil, .size, "SIZE", "select only assets of at least SIZE bytes")
  static let mime = Option(
    "mime", nil, .text, "PATTERN", "select only assets of this content type, such as 'image/*'", repeatable: true)
  static let history = Option("history", help: "include assets that only earlier revisions use")
  static var filters: [Option] { [types, maxSize, minSize, mime] }
  static var operands: [Operand] { [.any("RECORD", .record)] }
  static let forms = "[-t TYPE] [--max-size=SIZE] [--min-size=SIZE] [--mime=PATTERN]"
}

extension Arguments {
  func assets(in database: Database, _ session: Session, withHistory: Bool = false) throws -> AssetSelection {
    var selection = AssetSelection()
    selection.filter = AssetFilter(
      maxSize: size(AssetOptions.maxSize), minSize: size(AssetOptions.minSize), mimes: texts(AssetOptions.mime),
      types: texts(AssetOptions.types))
    selection.withHistory = withHistory
    if !operands.isEmpty {
      var seen: Set<Int64> = []
      selection.records = try operands.map { try database.records.find($0, literal: session.literalIDs) }.filter {
        seen.insert($0.key).inserted
      }
    }
    return selection
  }

  /// Returns the number of valid copies that must exist elsewhere before a local copy may be removed.
  func leastCopies(_ option: Option, _ session: Session) throws -> Int {
    if let text = text(option) {
      guard let number = Int(text), number > 0 else {
        throw UsageFault.badValue(option: option.dashed, value: text, expected: .choice(["1 or more"]))
      }
      return number
    }
    return try session.leastCopies()
  }
}

extension Session {
  func leastCopies() throws -> Int { try config().integer("assets.minCopies") ?? 1 }
}

extension Session {
  /// Returns the available containers, and prints a warning about each unavailable container.
  func copies(in database: Database, only container: ContainerSetting? = nil) throws -> AssetCopies {
    let copies = try database.exchange.assetCopies(only: container)
    for (_, error) in copies.unavailable {
      let failure = Failure.describing(error)
      terminal.warning(failure.slug, failure.message)
    }
    return copies
  }
}

extension Terminal {
  /// Returns the name of an asset for messages: the record and the property that refer to the asset.
  func words(of asset: AssetRow, in database: Database) throws -> String {
    guard let use = try database.assets.firstUse(of: asset) else {
      return "\(short(asset.extent.instance))/\(asset.extent.first)"
    }
    return use.path.map { "\(use.record.id) \($0)" } ?? use.record.id
  }

  func item(_ asset: AssetRow, in database: Database) throws -> Item {
    let use = try database.assets.firstUse(of: asset)
    return [
      "asset": .text(asset.extent), "\(AssetReference.digestKey(forSize: asset.size))": .text(asset.digest),
      "size": .integer(asset.size),
      "mime": .text(asset.mime), "id": .text(use?.record.id), "path": use?.path.map { .path($0) } ?? .absent,
    ]
  }
}
