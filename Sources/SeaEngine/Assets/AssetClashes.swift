import SeaCore
import SeaStore
import SeaSystem

/// Two copies of the same instance may use the same file number for different content. When the copies sync, each of
/// them moves its content to another place.
struct AssetClashes {
  private let assets: Assets
  private var store: Store { assets.store }
  private var folder: SeaFolder { assets.folder }

  init(_ assets: Assets) { self.assets = assets }

  private static let lookedUpTo = "clashesUpTo"

  /// Moves local content away from places that are also claimed for other content. If this instance made the asset, a
  /// new revision references a new place; otherwise, the content moves to the place that the other copy chose.
  /// - Returns: the number of moved assets.
  @discardableResult
  func move() throws -> Int {
    let last = try store.blocks.lastSequence()
    guard try store.metaInt(AssetClashes.lookedUpTo) != last else { return 0 }
    let chains = Set(try store.branches.siblings().map(\.instance)).sorted()
    guard !chains.isEmpty else { return 0 }
    let ours = (try? assets.author.members.requireWriter()) == nil ? [] : try ownLine()
    var moved = 0
    var isLocked = false
    for instance in chains {
      for asset in try store.assets.clashing(instance)
      where try assets.isPlausible(asset) && assets.isWhole(asset, in: assets.files) {
        let state = try assets.readContent(of: asset, from: assets.files) { _ in }
        isLocked = isLocked || state == .noKey
        guard state == .good else { continue }
        if try !assets.twins(of: asset).contains(where: {
          try assets.isWhole($0, in: assets.files) && !store.assets.isContested($0)
        }) {
          guard try ours.contains(instance) && move(asset) || follow(asset) else { continue }
          moved += 1
        }
        try store.locked { try assets.remove(Array(asset.extent.places)) }
      }
    }
    if isLocked { return moved }
    let end = try store.blocks.lastSequence()
    try store.write { try store.setMeta(AssetClashes.lookedUpTo, .int(end)) }
    return moved
  }

  private func ownLine() throws -> [UUID] {
    var before: [UUID: UUID] = [:]
    for row in try store.control.controls(["instance"]) {
      if let birth = Membership.FirstBlock(row.entry, block: row.block) { before[birth.instance] = birth.follows }
    }
    var line = [folder.instance]
    while let next = before[line[line.count - 1]], !line.contains(next) { line.append(next) }
    return line
  }

  /// Stores the content at the place that another copy of this instance chose.
  /// - Returns: false if the copy has not chosen a place.
  private func follow(_ asset: AssetRow) throws -> Bool {
    let twin = try assets.twins(of: asset).first { try assets.isPlausible($0) && !store.assets.isShared($0) }
    guard let twin else { return false }
    let spool = try File.nameless(in: folder.path)
    _ = try assets.readContent(of: asset, from: assets.files) { try spool.write($0) }
    return try OutsideContent.importAsset(twin, from: spool, named: "\(twin.extent)", into: assets)
  }

  /// Stores the content again at a new place, and writes a new revision that references this place.
  /// - Returns: false if no leaf revision references the asset.
  private func move(_ asset: AssetRow) throws -> Bool {
    for holder in try store.assets.holders(of: asset.key, limit: 100) where !holder.isDeleted {
      guard let row = try store.records.record(holder.id) else { continue }
      for leaf in try store.records.leaves(of: row) where leaf.kind == .put {
        guard let body = try store.records.body(of: leaf) else { continue }
        let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
        var paths: [PropertyPath] = []
        value.forEachAsset { names, reference in
          guard asset.isNamed(by: reference) else { return }
          let path = PropertyPath(names: names)
          // Assets inside a set are skipped, because elements of a set have no path.
          if case .asset? = value[path]?.unlabeled { paths.append(path) }
        }
        guard !paths.isEmpty else { continue }
        try move(asset, paths, of: row, upon: leaf.revision)
        return true
      }
    }
    return false
  }

  private func move(_ asset: AssetRow, _ paths: [PropertyPath], of row: RecordRow, upon leaf: RevisionID) throws {
    let spool = try File.nameless(in: folder.path)
    _ = try assets.readContent(of: asset, from: assets.files) { try spool.write($0) }
    let staged = try assets.stage(.file(spool), named: row.id)
    staged.reference.mime = asset.mime
    staged.leaves = asset.extent
    let batch = WriteBatch(label: "move asset")
    try batch.addEdit(row.id, type: nil, .revision(leaf.description), mustExist: true) { old in
      var record = old ?? .empty
      for path in paths {
        let label = record[path]?.semanticType
        let value = Value.asset(staged.reference)
        try record.set(label.map { .labeled(value, $0) } ?? value, at: path)
      }
      return record
    }
    _ = try assets.write(batch, adding: [staged])
  }
}
