internal import SeaCore
internal import SeaSystem

/// Reads records that were stored before their type got a property, or before a property changed its kind.
enum GrownType {
  /// The stored properties of each type's `defaults`, which are encoded once.
  private static let known = Guarded<[ObjectIdentifier: Members]>([:])

  /// Returns the value that a type declares for a property that a record lacks.
  static func value(of property: String, in type: any SeaRecord.Type) throws -> SeaCore.Value? {
    func members<Wanted: SeaRecord>(_ type: Wanted.Type) throws -> Members {
      if let known = known.with({ $0[ObjectIdentifier(type)] }) { return known }
      let all = try Wanted.defaults.map { try RecordEncoder.properties(of: $0).applied(to: nil).members } ?? nil
      known.with { $0[ObjectIdentifier(type)] = all ?? Members() }
      return all ?? Members()
    }
    return try members(type)[property]
  }
}

/// A type whose value is empty if a record lacks the property.
protocol EmptyIfMissing {
  static var whenMissing: Self { get }
}

extension Counter: EmptyIfMissing {
  static var whenMissing: Counter { 0 }
}

extension MergeSet: EmptyIfMissing {
  static var whenMissing: MergeSet { MergeSet() }
}
