import SeaCore
import SeaStore

/// Where a record names an asset.
package struct AssetUse: Sendable {
  package var asset: AssetRow
  package var record: RecordRow
  /// The property that has it; nil if only earlier revisions do, or ones that were deleted.
  package var path: PropertyPath?
}

/// Which assets are meant.
package struct AssetSelection: Sendable {
  package var filter = AssetFilter.all
  /// Only what these records name; nil for all.
  package var records: [RecordRow]?
  /// Whether what only earlier revisions name is meant too.
  package var withHistory = false

  package init() {}
}

extension Assets {
  /// Everything that a record names: by the paths of its winner, then of other live leaves; with `history`, at the end
  /// what only other revisions name.
  func uses(of row: RecordRow, history: Bool) throws -> [AssetUse] {
    let assets = try store.assets.assets(ofRecord: row.key)
    guard !assets.isEmpty else { return [] }
    var uses: [AssetUse] = []
    var named: Set<Int64> = []
    var seen: Set<[UInt8]> = []
    for leaf in try row.isDeleted ? [] : store.records.leaves(of: row) where leaf.kind == .put {
      guard let body = try store.records.body(of: leaf) else { continue }
      let value = try body.withUnsafeBufferPointer { try Value.decode(body: $0) }
      value.forEachAsset { names, reference in
        guard var asset = assets.first(where: { $0.isNamed(by: reference) }) else { return }
        // The place may have been called something else before, or by another record.
        asset.mime = reference.mime
        let path = PropertyPath(names: names)
        guard seen.insert(Array("\(asset.key) \(path.pointer)".utf8)).inserted else { return }
        named.insert(asset.key)
        uses.append(AssetUse(asset: asset, record: row, path: path))
      }
    }
    guard history else { return uses }
    return uses + assets.filter { !named.contains($0.key) }.map { AssetUse(asset: $0, record: row, path: nil) }
  }

  /// A record that names the asset: one that does now, if there is one.
  package func firstUse(of asset: AssetRow) throws -> AssetUse? {
    var past: AssetUse?
    for holder in try store.assets.holders(of: asset.key, limit: 100) {
      guard let row = try store.records.record(holder.id) else { continue }
      for use in try uses(of: row, history: past == nil) where use.asset.key == asset.key {
        if use.path != nil { return use }
        past = use
      }
    }
    return past
  }

  /// Whether an asset is among those that a filter means.
  package func matches(_ asset: AssetRow, _ filter: AssetFilter) throws -> Bool {
    guard !filter.isAll else { return true }
    guard !filter.isNone else { return false }
    let types = filter.types.isEmpty ? [] : try store.assets.types(ofAsset: asset.key).compactMap { $0 }
    return try matches(asset, filter, types: types)
  }

  /// - Parameter types: those of the records that hold it.
  func matches(_ asset: AssetRow, _ filter: AssetFilter, types: [String]) throws -> Bool {
    let mimes = filter.mimes.isEmpty ? [asset.mime] : try mimes(of: asset)
    return mimes.contains { filter.matches(size: asset.size, mime: $0, types: types) }
  }

  /// What records say that its content is; of what none names now, what earlier revisions said.
  private func mimes(of asset: AssetRow) throws -> Set<String> {
    var mimes: Set<String> = []
    for holder in try store.assets.holders(of: asset.key, limit: 100) {
      guard let row = try store.records.record(holder.id) else { continue }
      for use in try uses(of: row, history: false) where use.asset.key == asset.key { mimes.insert(use.asset.mime) }
    }
    return mimes.isEmpty ? [asset.mime] : mimes
  }

  /// Visits what records name, by rising id of the record, or in the order of the records that are meant.
  package func forEachUse(_ selection: AssetSelection, _ body: (AssetUse) throws -> Void) throws {
    let filter = selection.filter
    func visit(_ row: RecordRow) throws {
      if !filter.types.isEmpty, !filter.types.contains(where: { UTF8Text.equal($0, row.type ?? "") }) { return }
      for use in try uses(of: row, history: selection.withHistory)
      where filter.matches(size: use.asset.size, mime: use.asset.mime, types: [row.type ?? ""]) {
        try body(use)
      }
    }
    guard !filter.isNone else { return }
    if let records = selection.records { return try records.forEach(visit) }
    try store.assets.forEachHolder(withDeleted: selection.withHistory) { row in
      try visit(row)
      return true
    }
  }

  /// Visits each asset that is meant once.
  package func forEach(_ selection: AssetSelection, _ body: (AssetRow) throws -> Void) throws {
    var seen: Set<Int64> = []
    try forEachUse(selection) { use in
      if seen.insert(use.asset.key).inserted { try body(use.asset) }
    }
  }

  /// Every asset of which a revision names the content, once for each place, by rising key.
  package func forEach(_ body: (AssetRow) throws -> Void) throws {
    var key: Int64 = 0
    while true {
      let rows = try store.assets.assets(after: key)
      guard let last = rows.last else { return }
      for row in rows { try body(row) }
      key = last.key
    }
  }

  /// The content that is meant and not here, each once, however many places it has.
  package func missing(_ selection: AssetSelection) throws -> [AssetRow] {
    var missing: [AssetRow] = []
    var seen: Set<Digest> = []
    try forEach(selection) { asset in
      if try here(asset) == nil, seen.insert(asset.digest).inserted { missing.append(asset) }
    }
    return missing
  }

  /// Content that records name and that is not here.
  package func countMissing() throws -> (count: Int, bytes: Int64) {
    var sum = (count: 0, bytes: Int64(0))
    try forEachUnnoted { sum = (sum.count + 1, sum.bytes + $0.size) }
    return sum
  }

  /// The content that records name now and that is not here, as far as is known without a look: each once.
  /// - Parameter wanted: only what one of these filters means.
  package func forEachUnnoted(wanted: [AssetFilter] = [.all], _ body: (AssetRow) throws -> Void) throws {
    var seen: Set<Digest> = []
    var key: Int64 = 0
    while true {
      let rows = try store.assets.assetsNotStored(after: key)
      guard let last = rows.last else { return }
      for (asset, isCurrent) in rows where !seen.contains(asset.digest) {
        guard try wanted.contains(where: { try matches(asset, $0) }) else { continue }
        // Only where a record has a history does one have to look what it says now.
        guard try isCurrent || firstUse(of: asset)?.path != nil else { continue }
        seen.insert(asset.digest)
        try body(asset)
      }
      key = last.asset.key
    }
  }
}

extension RecordView {
  /// What a record names as it is shown, whether the content is here or not.
  package func assets() throws -> [AssetReference] {
    guard let body, body.firstPlace(of: "$asset".utf8) != nil else { return [] }
    var found: [AssetReference] = []
    try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.forEachAsset { found.append($1) }
    return found
  }
}

extension AssetRow {
  func isNamed(by reference: AssetReference) -> Bool {
    size == reference.size && digest == reference.sha256 && extent.description.utf8.elementsEqual(reference.place.utf8)
  }
}

extension Value {
  /// Visits the assets in it with the names that lead to them; the elements of a set have those of the set.
  func forEachAsset(_ names: [String] = [], _ visit: ([String], AssetReference) -> Void) {
    switch self {
    case .asset(let reference): visit(names, reference)
    case .dictionary(let members):
      for (key, value) in members.entries { value.forEachAsset(names + [key], visit) }
    case .array(let values):
      for (index, value) in values.enumerated() { value.forEachAsset(names + [String(index)], visit) }
    case .packed: unpacked.forEachAsset(names, visit)
    case .set(let set): for value in set.elements { value.forEachAsset(names, visit) }
    case .labelled(let value, _): value.forEachAsset(names, visit)
    default: break
    }
  }
}
