internal import SeaSystem

/// A reference to a record of a type that your program defines.
///
///     boat.owner = Reference(Owner(name: "Ann"))
///     try await database.save(boat)  // saves Ann, too
///
/// A reference created from a record keeps this record. Saving a typed record that contains the reference also saves the
/// kept record, if no record has or has had its id. A dynamic `Record` and the resolution of a conflict store only the
/// id. References are equal if their ids are equal.
public struct Reference<Target: SeaRecord>: Sendable, Codable {
  /// The id of the referenced record.
  public var id: String { didSet { target = nil } }
  private var target: KeptRecord?

  /// Creates a reference to the record with this id.
  public init(_ id: String) { self.id = id }
  /// Creates a reference to a record, which is saved along with the record that contains the reference, unless a record
  /// with its id exists or has existed.
  public init(_ target: Target) { (id, self.target) = (target.id, KeptRecord(target)) }

  /// Encodes the id as a string. In a record, it is stored as a reference.
  public func encode(to encoder: any Encoder) throws { try encodeText(id, to: encoder) }
  /// Decodes the id.
  public init(from decoder: any Decoder) throws { id = try decoder.singleValueContainer().decode(String.self) }
}

extension Reference: Hashable {
  /// Returns whether the ids are equal.
  public static func == (a: Reference, b: Reference) -> Bool { a.id == b.id }
  /// Hashes the id.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}

extension Reference: ValueConvertible {
  /// Converts a value, or returns nil if it is of another kind.
  public init?(_ value: Value) {
    guard case .reference(let read) = value.unlabeled else { return nil }
    self.init(read.id)
  }
  /// The reference as a value.
  public var value: Value { .reference(RecordReference(id)) }
}

/// A record that a reference keeps. Releasing a long chain of kept records does not use much stack: a record that is
/// released during the release of another one waits in `released`. Only `deinit` changes the content (`@unchecked`).
final class KeptRecord: @unchecked Sendable {
  private var content: (any SeaRecord)?
  private static let released = Guarded<(records: [any SeaRecord], isBusy: Bool)>(([], false))

  init(_ record: any SeaRecord) { content = record }

  var record: any SeaRecord { content! }

  deinit {
    let isFirst = KeptRecord.released.with { released in
      released.records.append(content!)
      content = nil
      defer { released.isBusy = true }
      return !released.isBusy
    }
    if isFirst { while KeptRecord.releaseNext() {} }
  }

  private static func releaseNext() -> Bool {
    let next = released.with { released in
      if released.records.isEmpty { released.isBusy = false }
      return released.records.popLast()
    }
    return next != nil
  }
}

/// A value that can contain references.
protocol ReferenceHolder {
  var kept: [KeptRecord] { get }
}

extension Reference: ReferenceHolder {
  var kept: [KeptRecord] { target.map { [$0] } ?? [] }
}
extension Optional: ReferenceHolder where Wrapped: ReferenceHolder {
  var kept: [KeptRecord] { self?.kept ?? [] }
}
extension Array: ReferenceHolder where Element: ReferenceHolder {
  var kept: [KeptRecord] { flatMap(\.kept) }
}
extension Dictionary: ReferenceHolder where Value: ReferenceHolder {
  var kept: [KeptRecord] { values.flatMap(\.kept) }
}
