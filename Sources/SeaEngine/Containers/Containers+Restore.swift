import SeaContainer
import SeaCore
import SeaStore

// What a container says of itself is one small file, and without it nobody takes the folder for a container.

extension Containers {
  /// Writes again what a container said of itself, if it is the one that is remembered: chains that are known here lie in it.
  /// An empty mount point is no container.
  /// - Returns: nil if nothing was written.
  func restored(_ container: Container, _ name: String, _ error: ContainerError) throws -> ContainerInfo? {
    switch error {
    case .notAContainer, .badInfo: break
    default: return nil
    }
    guard let known = try store.peers.container(name), known.last > 0 else { return nil }
    guard try container.chains().chains.contains(where: { try store.branches.chain($0.instance) != nil }) else {
      return nil
    }
    // A cloud client says that it has the file.
    if try container.strays().contains(where: { Layout.promised(by: $0.path) == Layout.info }) {
      var waits = try Waits(folder, for: name, .info)
      let isLost = try waits.hasPassed(Layout.info)
      try waits.finish()
      guard isLost else { return nil }
    }
    let info = try ContainerInfo(
      container: known.id, database: folder.databaseID, contentType: folder.contentType(), proof: folder.proof)
    return try container.restore(info) ? info : nil
  }

  /// What is to be told where a container does not say what it is: it may be on its way for so long as patience lasts.
  static func arrivingOr(_ error: ContainerError, _ container: Container, _ settings: Settings) -> any Error {
    switch error {
    case .badInfo(.notJSON, _), .notAContainer:
      guard let patience = try? settings.patience(),
        (try? container.isArriving(since: settings.clock() - patience)) == true
      else { return error }
      return KitError.stillArriving(path: container.location, what: .info)
    default: return error
    }
  }

  /// Whether two have made the container in one folder, and a cloud client has renamed what one of them wrote.
  func isRenamed(_ id: UUID, in container: Container) throws -> Bool {
    try container.infoCopies().contains { $0.container == id && $0.database == folder.databaseID }
  }
}

extension Container {
  /// Whether slots may be missing: none is there, a placeholder stands for one, or one is not whole.
  func lacksSlots() throws -> Bool {
    let names = try names(in: .keys).prefix(1000)
    if names.isEmpty { return true }
    for name in names {
      guard let bytes = try? bounded(name, in: .keys), SHA256.hash(bytes).description == name else { return true }
    }
    return try !promised(in: .keys).isEmpty
  }
}
