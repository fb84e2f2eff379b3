import SeaCore
import SeaStore

extension Database {
  /// Whether only what members write counts.
  package var hasMembers: Bool { databaseID.version == 8 }

  /// The entries of some kinds that count.
  func countingControls(_ kinds: [String]) throws -> [ControlRow] {
    try store.controls(kinds).filter(\.isApplied)
  }

  /// Whether a block of an instance is kept without being applied.
  func isHeld(_ instance: UUID, _ index: UInt32) throws -> Bool { false }
}

extension Database {
  /// The instances that keys are wrapped for: those that may read, ourselves among them.
  package func readers() throws -> [Reader] {
    try store.chains().map {
      Reader(instance: $0.instance, name: $0.name, exchange: try store.exchangeKey(of: $0.instance) ?? [])
    }
  }
}
