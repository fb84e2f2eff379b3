import SeaContainer
import SeaCore
import SeaStore

extension ContainerPurge {
  /// Takes out of a container what was purged: after all was handed over, since what allows it is there by then.
  static func emptyOut(
    _ container: Container, named name: String, _ folder: SeaFolder, isFull: Bool, into result: inout SyncResult
  ) throws {
    let (store, settings) = (folder.store, folder.settings)
    let memory = Memory(name: name, now: settings.clock(), isFull: isFull, allowance: settings.allowance)
    var purge = try ContainerPurge(store, container, dryRun: false, memory: memory) { order in
      try store.peers.seen(of: order.instance, in: name).values.contains { $0.index >= order.index }
    }
    try purge.run()
    result.emptied += purge.found - purge.remainders.count
    result.problems += purge.remainders.map { Problem(.notPurged, place: name, detail: "\($0.place): \($0.reason)") }
    if let first = purge.waiting.first {
      result.problems.append(
        Problem(.notPurged, place: name, branch: first.branch, index: first.index, detail: "the order is not there yet")
      )
    }
  }
}
