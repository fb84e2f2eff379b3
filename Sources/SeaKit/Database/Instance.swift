internal import SeaCore
internal import SeaEngine

/// An instance: one copy of the database, usually one per device.
public struct Instance: Sendable, Hashable, Identifiable {
  /// The id, a UUID.
  public let id: String
  /// The display name of the instance; nil if unknown. Names need not be unique.
  public let name: String?
  /// Whether this is the instance of the `Database` object that returned the value.
  public let isOwn: Bool
}

extension Database {
  /// Returns the instance of this database.
  public func instance() async throws -> Instance { try await reading { try Instances($0).own() } }
}

struct Instances {
  private let names: [UUID: String]
  private let ownID: UUID

  init(_ engine: Engine) throws { (names, ownID) = (try engine.members.names(), engine.instance) }

  func own() -> Instance { self[ownID] }

  subscript(_ id: UUID) -> Instance {
    let name = names[id].flatMap { $0.isEmpty ? nil : $0 }
    return Instance(id: id.description, name: name, isOwn: id == ownID)
  }
}
