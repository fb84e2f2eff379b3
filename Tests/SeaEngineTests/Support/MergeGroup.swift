import SeaCore
import SeaEngine
import SeaStore
import SeaSystem
import SeaTestSupport

/// Several instances of one database that sync through folders and merge automatically according to their settings.
final class MergeGroup {
  let world: SyncWorld
  private(set) var all: [Database] = []
  private(set) var folders: [[String]] = []

  private let seed: UInt64?

  /// - Parameter seed: makes the instances the same in every run.
  init(sealed: Bool = SyncWorld.isSealed, seed: UInt64? = nil) throws {
    self.seed = seed
    world = try SyncWorld(sealed: sealed, inMemory: true)
  }

  /// Creates `count` instances that share one folder.
  /// - Parameter own: the local settings of some instances.
  convenience init(_ count: Int, own: [Int: [String: String]] = [:]) throws {
    try self.init()
    for k in 0..<count { try add(["team"], own: own[k] ?? [:]) }
  }

  deinit { for one in all { one.close() } }

  subscript(_ k: Int) -> Database { all[k] }

  @discardableResult
  func add(_ folders: [String], own: [String: String] = [:]) throws -> Database {
    let entries = try own.sorted { $0.key < $1.key }.map { key, value in
      guard let key = ConfigKey(key) else { throw KitError.invalidRevisionSpecifier(key) }
      return Config.Entry(key: key, value: value, origin: ConfigOrigin(.local))
    }
    world.settings.config = { Config(above: entries) }
    let number = UInt64(all.count)
    let database = try world.instance("i\(number)", seed: seed.map { $0 << 8 | number })
    for folder in folders { try world.attach(folder, to: database) }
    all.append(database)
    self.folders.append(folders)
    return database
  }

  /// All instances push without pulling, so that everything can arrive at once afterwards.
  func push() throws {
    for (k, one) in all.enumerated() { for folder in folders[k] { try one.exchange(folder, .push) } }
  }

  /// All instances sync with all of their folders until nothing changes.
  /// - Returns: the number of rounds; nil if there is no end.
  @discardableResult
  func converge(most: Int = 12) throws -> Int? {
    for round in 1...most {
      var moved = 0
      for (k, one) in all.enumerated() {
        for folder in folders[k] {
          let exchange = try one.exchange(folder)
          precondition(exchange.problems.isEmpty, "\(exchange.problems)")
          moved += exchange.pulled + exchange.pushed
        }
      }
      if moved == 0 { return round }
    }
    return nil
  }

  /// The distinct texts of a record in all instances.
  func texts(_ id: String) throws -> Set<String> { Set(try all.map { try $0.text(id) }) }

  func share(_ key: String, _ value: String?, by k: Int = 0) throws {
    guard let key = ConfigKey(key) else { throw KitError.invalidRevisionSpecifier(key) }
    try all[k].sharedSettings.set(key, value)
  }
}

extension Database {
  /// The record as `get` writes it.
  func text(_ id: String) throws -> String {
    var writer = ByteWriter()
    try records.view(records.find(id)).writeJSON(.compact, into: &writer)
    return String(decoding: writer.bytes, as: UTF8.self)
  }

  /// The properties of the record.
  func shown(_ id: String) throws -> String? {
    guard let body = try records.view(records.find(id)).body else { return nil }
    return try body.withUnsafeBufferPointer { try Value.decode(body: $0) }.json()
  }

  /// The revisions of a record that merged others.
  func merges(_ id: String) throws -> [RevisionID] {
    let row = try records.find(id)
    return try store.records.revisions(of: row).filter { try !store.records.change(of: $0).merged.isEmpty }.map(
      \.revision)
  }

  func live(_ id: String) throws -> [RevisionID] {
    try store.records.leaves(of: records.find(id)).filter { $0.kind == .put }.map(\.revision)
  }

  /// Changes one property based on its visible value.
  @discardableResult
  func change(_ id: String, _ path: String, _ change: @escaping (Value?) -> Value) throws -> RevisionID {
    let batch = WriteBatch(label: "set")
    let path = try PropertyPath(path)
    try batch.addEdit(id, type: nil, .none, mustExist: false) { old in
      var value = old ?? .empty
      try value.set(change(value[path]), at: path)
      return value
    }
    return try records.write(batch).results[0].revision
  }

  @discardableResult
  func set(_ id: String, _ path: String, _ value: Int64) throws -> RevisionID {
    try change(id, path) { _ in .integer(value) }
  }

  @discardableResult
  func count(_ id: String, _ path: String, _ step: Int64) throws -> RevisionID {
    try change(id, path) { old in
      guard case .counter(let counter)? = old else { return .counterDraft(Int128(step)) }
      return .counterDraft(counter.value + Int128(step))
    }
  }

  @discardableResult
  func element(_ id: String, _ path: String, _ element: String, isThere: Bool) throws -> RevisionID {
    try change(id, path) { old in
      var elements: [Value] = []
      if case .set(let set)? = old { elements = set.elements.filter { $0 != .string(element) } }
      return .setDraft(isThere ? elements + [.string(element)] : elements)
    }
  }
}
