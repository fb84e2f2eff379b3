import SeaCore
import SeaStore

/// An index required by the settings: `index.NAME.on` for values, `index.NAME.text` for words.
package struct WantedIndex: Sendable {
  package var name: String
  package var definition: IndexDefinition
  package var isShared: Bool

  /// The name in lower case, for comparisons: like column names in SQL, names that differ only in case are equal.
  fileprivate var folded: [UInt8] { WantedIndex.folded(name) }

  fileprivate static func folded(_ name: String) -> [UInt8] { Array(name.lowercased().utf8) }

  package func isCalled(_ name: String) -> Bool { folded == WantedIndex.folded(name) }

  package static func key(_ name: String, _ kind: IndexDefinition.Kind) -> ConfigKey? {
    ConfigKey("index.\(name).\(kind == .text ? "text" : "on")")
  }

  /// Whether an index may have this name. A text index is a column in SQL, so its name must not be that of a built-in
  /// column.
  package static func isName(_ name: String) -> Bool {
    IndexDefinition.isName(name) && !QueryEngine.fixedColumns.contains { UTF8Text.equal($0, "_" + name.lowercased()) }
  }
}

package struct IndexSettings {
  package var values: [(key: ConfigKey, value: String?)]
  package var isShared: Bool

  package init(_ values: [(key: ConfigKey, value: String?)], isShared: Bool) {
    self.values = values
    self.isShared = isShared
  }

  fileprivate func put(into settings: inout [(key: ConfigKey, value: String)]) {
    for (key, value) in values {
      settings.removeAll { $0.key == key }
      if let value { settings.append((key, value)) }
    }
    settings.sort { UTF8Text.less($0.key.description, $1.key.description) }
  }
}

/// Keeps the existing indexes in sync with allIndexes that the settings require.
///
/// Any instance that may share settings can require indexes on all instances. Therefore, only the first `mostShared`
/// shared indexes by name are used.
package final class Indexes {
  let records: Records
  let shared: SharedSettings
  var store: Store { records.store }

  package static let mostShared = 16
  package static let mostOwn = 64

  package init(_ records: Records, _ shared: SharedSettings) {
    self.records = records
    self.shared = shared
  }

  /// Returns the shared indexes, including allIndexes beyond the limit. If several names differ only in case, the first one
  /// is used.
  /// - Throws: `tooManyIndexes` if the change exceeds the limit.
  package func shared(_ change: IndexSettings? = nil) throws -> [WantedIndex] {
    var settings = try shared.settings(of: "index.")
    if let change, change.isShared { change.put(into: &settings) }
    var found: [WantedIndex] = []
    var places: [[UInt8]: Int] = [:]
    for (key, value) in settings {
      guard let one = Indexes.read(key, value, isShared: true) else { continue }
      guard let at = places[one.folded] else {
        places[one.folded] = found.count
        found.append(one)
        continue
      }
      if UTF8Text.equal(found[at].name, one.name) { found[at] = one }
    }
    let isMore = change.map { $0.isShared && $0.values.contains { $0.value != nil } } ?? false
    if isMore, found.count > Indexes.mostShared {
      throw ConfigError.tooManyIndexes(most: Indexes.mostShared, isShared: true)
    }
    return found
  }

  /// Returns the required indexes, sorted by name. A private index replaces a shared index with the same name.
  /// - Parameters:
  ///   - change: settings to apply first.
  ///   - isStrict: whether an invalid private setting is an error; if false, it is skipped.
  /// - Throws: `badIndex`, `tooManyIndexes`.
  package func wanted(_ change: IndexSettings? = nil, isStrict: Bool = true) throws -> [WantedIndex] {
    var wanted: [[UInt8]: WantedIndex] = [:]
    for one in try shared(change).prefix(Indexes.mostShared) { wanted[one.folded] = one }
    var own: Set<[UInt8]> = []
    let entries = try records.author.folder.settings.config().own.filter { $0.key.section == "index" }
    var settings = entries.map { (key: $0.key, value: $0.value ?? "") }
    if let change, !change.isShared { change.put(into: &settings) }
    for (key, value) in settings {
      guard let one = Indexes.read(key, value, isShared: false) else {
        guard isStrict else { continue }
        let origin = entries.last { $0.key == key }?.origin ?? ConfigOrigin(.command)
        throw ConfigError.badIndex(key: key.description, value: value, origin: origin)
      }
      wanted[one.folded] = one
      own.insert(one.folded)
    }
    guard own.count <= Indexes.mostOwn else { throw ConfigError.tooManyIndexes(most: Indexes.mostOwn, isShared: false) }
    return wanted.values.sorted { UTF8Text.less($0.name, $1.name) }
  }

  private static func read(_ key: ConfigKey, _ value: String, isShared: Bool) -> WantedIndex? {
    guard key.section == "index", let name = key.subsection, WantedIndex.isName(name) else { return nil }
    let kind: IndexDefinition.Kind
    switch key.name {
    case "on": kind = .values
    case "text": kind = .text
    default: return nil
    }
    return IndexDefinition(kind, value).map { WantedIndex(name: name, definition: $0, isShared: isShared) }
  }

  package func kept() throws -> [KeptIndex] { try store.indexes() }

  package func has(_ one: WantedIndex) throws -> Bool { try Indexes.isAmong(kept(), one) }

  private static func isAmong(_ kept: [KeptIndex], _ one: WantedIndex) -> Bool {
    kept.contains { UTF8Text.equal($0.name, one.name) && $0.definition.isSame(as: one.definition) }
  }

  package struct Changes: Sendable {
    package var made: [String] = []
    package var ended: [String] = []
  }

  @discardableResult
  package func follow(_ wanted: [WantedIndex], dryRun: Bool = false) throws -> Changes {
    var result = Changes()
    func follow() throws {
      let kept = try kept()
      for one in kept where !wanted.contains(where: { UTF8Text.equal($0.name, one.name) }) {
        result.ended.append(one.name)
        if !dryRun { try store.dropIndex(one.name) }
      }
      for one in wanted where !Indexes.isAmong(kept, one) {
        result.made.append(one.name)
        if !dryRun { try store.makeIndex(one.name, one.definition) }
      }
    }
    // Usually, nothing changes and no lock is needed.
    if try dryRun || (wanted.isEmpty && kept().isEmpty) { try follow() } else { try store.write(follow) }
    return result
  }
}

extension Indexes {
  /// Returns the settings that require an index. They also replace an index whose name differs only in case.
  /// - Throws: `badIndex` if the name is invalid.
  package func adding(_ name: String, _ definition: IndexDefinition, isShared: Bool) throws -> IndexSettings {
    let (kind, other): (IndexDefinition.Kind, IndexDefinition.Kind) =
      definition.kind == .text ? (.text, .values) : (.values, .text)
    guard WantedIndex.isName(name), let key = WantedIndex.key(name, kind), let gone = WantedIndex.key(name, other)
    else {
      throw ConfigError.badIndex(
        key: "index", value: "\(name)=\(definition.description)", origin: ConfigOrigin(.command))
    }
    let twins = try allIndexes(isShared).filter { $0.isCalled(name) && $0.name != name }.flatMap { $0.keys }
    return IndexSettings([(key, definition.description), (gone, nil)] + twins, isShared: isShared)
  }

  /// Returns the settings that remove an index.
  /// - Throws: `noIndex`; `otherIndex` if the index exists only in the other scope, shared or private.
  package func removing(_ name: String, isShared: Bool) throws -> IndexSettings {
    if let one = try allIndexes(isShared).first(where: { $0.isCalled(name) }) {
      return IndexSettings(one.keys, isShared: isShared)
    }
    let others = try isShared ? wanted() : shared()
    guard let other = others.first(where: { $0.isCalled(name) }) else { throw ConfigError.noIndex(name) }
    throw ConfigError.otherIndex(other.name, isShared: !isShared)
  }

  private func allIndexes(_ isShared: Bool) throws -> [WantedIndex] {
    try isShared ? shared() : wanted().filter { !$0.isShared }
  }

  package func set(_ settings: IndexSettings) throws {
    guard !settings.isShared else {
      for (key, value) in settings.values { try shared.set(key, value) }
      return
    }
    try store.locked {
      var file = try ConfigSources.read(records.author.folder.configPath)
      for (key, value) in settings.values {
        if let value { try file.set(key, value) } else { _ = try file.unset(key, all: true) }
      }
      try file.save()
    }
  }
}

extension WantedIndex {
  fileprivate var keys: [(key: ConfigKey, value: String?)] {
    [IndexDefinition.Kind.values, .text].compactMap { WantedIndex.key(name, $0).map { ($0, nil) } }
  }
}
