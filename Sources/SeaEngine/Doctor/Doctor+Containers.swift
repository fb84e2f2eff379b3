import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

// What lies in containers.

extension Doctor {
  func lookAtContainers(_ examined: inout Examined) throws {
    _ = try database.containers.settings()
    examined.look(at: .container, places.count { !isAway($0.container) })
    for (setting, container) in places {
      do { _ = try container.get() } catch {
        guard let state = Containers.state(for: error) else {
          examined.blind.append((setting.name, error))
          continue
        }
        if state == .away { examined.away.append(setting.name) } else { examined.find(setting.name, .state(state)) }
      }
    }
  }

  /// Names that the layout does not know, each with what it can be said to be.
  func lookForDebris(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let names = try strangers(in: container, setting.name).unknown
      for name in names.prefix(Doctor.mostTold) {
        examined.find("\(setting.name): \(name)", try meaning(of: name, in: container))
      }
      if names.count > Doctor.mostTold { examined.find(setting.name, .more(names.count - Doctor.mostTold)) }
    }
  }

  /// What a file without a place is worth: nothing, if all blocks in it are here.
  private func meaning(of path: String, in container: any Container) throws -> Finding.Fact {
    if Layout.promised(by: Path.name(path)) != nil { return .placeholder }
    if BundlePlaces.isAny(path) { return .bundle }
    let parts = path.split(separator: "/")
    guard parts.count > 1, parts[0] == Layout.transactions, let branch = BranchID(String(parts[1])) else {
      return .foreign
    }
    var first: BlockRow?
    var isKnown = true
    try container.readStray(path) { bytes in
      let header = try BlockHeader(bytes)
      let ref = BlockRef(instance: branch.instance, index: header.index, digest: header.digest(of: bytes))
      let row = try store.blocks.block(ref)
      if first == nil { first = row }
      isKnown = row != nil
      return isKnown
    }
    guard isKnown else { return .unknownBlocks }
    return first.map { .copyOf(block: $0.place) } ?? .foreign
  }

  func lookForMissing(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let told = try database.exchange.look(at: setting, container).told(of: setting.name)
      for problem in told.prefix(Doctor.mostTold) { examined.find(setting.name, .lacks(problem)) }
      if told.count > Doctor.mostTold { examined.find(setting.name, .more(told.count - Doctor.mostTold)) }
    }
  }

  /// A copy that nobody has read back is a hope.
  func lookForUnverified(_ examined: inout Examined) throws {
    try eachContainer(&examined) { setting, container, examined in
      let row = try store.peers.container(setting.name)
      guard let row, row.last > 0 else { return examined.find(setting.name, .neverSynced) }
      let notes = try ContainerNotes(store.metaBlob(ContainerNotes.key(setting.name)) ?? [])
      guard !setting.isReadOnly, notes?.stamp ?? 0 == 0, try !container.chains().chains.isEmpty else { return }
      examined.find(setting.name, .neverRead)
    }
  }
}
