import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport

extension Database {
  /// Adds an asset with the content to a record.
  /// - Parameter precondition: for the record.
  @discardableResult
  func addAsset(
    _ id: String, _ content: [UInt8], _ precondition: Precondition = .none, type: String? = nil
  ) throws -> AssetReference {
    var rest = content[...]
    let stream = AssetInput.stream { buffer in
      let part = rest.prefix(min(buffer.count, 70_001))
      buffer.copyBytes(from: part)
      rest = rest.dropFirst(part.count)
      return part.count
    }
    let asset = try assets.stage(stream, named: "test")
    let batch = WriteBatch(label: "set a")
    let path = try PropertyPath("a")
    try batch.addEdit(id, type: type, precondition, mustExist: false) { old in
      var record = old ?? .empty
      try record.set(.asset(asset.reference), at: path)
      return record
    }
    _ = try assets.write(batch, adding: [asset])
    return asset.reference
  }

  /// The content of a valid local asset; nil if the asset is not local.
  func content(_ reference: AssetReference) throws -> [UInt8]? {
    guard let asset = assets.row(reference), let there = try assets.here(asset) else { return nil }
    var content: [UInt8] = []
    let state = try assets.readContent(of: there, from: assets.files) { content.append(contentsOf: $0) }
    if state != .good { throw state }
    return content
  }

  /// Every asset that any revision names.
  func allAssets() throws -> [AssetRow] {
    var all: [AssetRow] = []
    try assets.forEach { all.append($0) }
    return all
  }

  func fetch(
    _ reference: AssetReference, from containers: [(String, any Container)]
  ) throws -> (outcome: FetchOutcome, problems: [Problem]) {
    var problems: [Problem] = []
    let origins = containers.map { AssetOrigin(name: $0.0, source: $0.1) }
    let outcome = try assets.fetch(assets.row(reference)!, from: origins) { problems.append($0) }
    return (outcome, problems)
  }

  /// The sizes of unfinished asset files.
  func drafts() throws -> [Int64] {
    var sizes: [Int64] = []
    try assets.files.forEachDraft { size, _, _ in
      sizes.append(size)
      return false
    }
    return sizes
  }

  /// The local asset files.
  func assetFiles() throws -> [AssetPlace] {
    var places: [AssetPlace] = []
    try assets.files.forEachAsset { place, _ in places.append(place) }
    return places
  }
}

extension ScratchFolder {
  /// Flips one bit of a file.
  func flip(_ name: String, at byte: Int) throws {
    var bytes = try bytes(name)
    bytes[byte] ^= 0x10
    try Path.remove(path(name))
    try write(name, bytes)
  }
}

func randomContent(_ count: Int, _ seed: UInt64 = 1) -> [UInt8] {
  var random = SeededRandom(seed)
  return random.bytes(count)
}
