import SeaCore
import SeaEngine

extension RevocationLoss {
  /// The number of ignored blocks by branch, and the number of purged blocks whose purge orders become invalid.
  var fields: Item {
    var item: Item = [:]
    if !branches.isEmpty {
      item.add([
        "branches": .array(
          branches.sorted { $0.key < $1.key }.map {
            .object([
              "instance": .id($0.key.instance), "branch": $0.key.isMainBranch ? .absent : .text($0.key.description),
              "blocks": .integer($0.value),
            ])
          })
      ])
    }
    if removed > 0 { item.add(["removed": .integer(removed)]) }
    return item
  }

  func report(of name: String, _ terminal: Terminal) {
    func notice(_ count: Int, _ what: String) {
      if count > 0 { terminal.notice("ignored: \(Count(count, "block")) \(what)") }
    }
    notice(behind, "of \(name) after the revocation point")
    for (branch, count) in branches.sorted(by: { $0.key < $1.key }) {
      notice(count, "of \(name) on another branch of its chain, \(branch)")
    }
    notice(others, "of instances authorized only by \(name) after that point")
    if removed > 0 {
      terminal.notice(
        "\(Count(removed, "block")) purged by \(name) will be reported as damaged; to restore them, import a backup: sea import"
      )
    }
  }
}
