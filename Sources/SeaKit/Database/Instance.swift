internal import SeaCore
internal import SeaEngine

/// An instance: one copy of the database on a device, with a name for people.
public struct Instance: Sendable, Hashable, Identifiable {
  /// The id, a UUID.
  public let id: String
  /// The name that the instance gave itself; nil if it is unknown here. Names need not be unique.
  public let name: String?
  /// Whether this is the instance of the database that returned it.
  public let isOwn: Bool
}

extension Database {
  /// Returns the instance of this database.
  public func instance() async throws -> Instance { try await reading { try Instances($0).own() } }
}

/// The names of all instances, read once.
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
