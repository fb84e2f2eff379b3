internal import SeaCore
internal import SeaEngine

/// One of those that write: a database on a device, with a name for people.
public struct Instance: Sendable, Hashable, Identifiable {
  /// A UUID.
  public let id: String
  /// What it calls itself; nil if that is not known here. Others may call themselves the same.
  public let name: String?
  /// Whether it is the database that was asked.
  public let isOwn: Bool
}

extension Database {
  /// The instance that this database is.
  public func instance() async throws -> Instance { try await reading { try Instances($0).own() } }
}

/// The names of instances, looked up once.
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
