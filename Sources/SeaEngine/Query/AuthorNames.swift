import SeaCore
import SeaStore

/// The readable names of instances. Instances that have the same name are shown by their IDs.
final class AuthorNames {
  private let members: Roster
  private let store: Store
  private var known: [UUID: String]?

  init(_ records: Records) { (members, store) = (records.author.members, records.store) }

  func name(_ instance: UUID) throws -> String {
    if known == nil {
      let all = try members.names().filter { try isKnown($0.key) }
      var count: [String: Int] = [:]
      for name in all.values { count[name, default: 0] += 1 }
      known = all.filter { !$0.value.isEmpty && count[$0.value] == 1 }
    }
    return known?[instance] ?? instance.description
  }

  private func isKnown(_ instance: UUID) throws -> Bool {
    guard let past = store.past else { return true }
    return try store.blocks.block(BranchID(instance), 0).map { $0.sequence <= past.sequence } ?? false
  }
}
