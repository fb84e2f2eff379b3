import SeaCore
import SeaStore

/// The blocks of one instance that are stored but not applied.
package struct Held: Sendable {
  package var instance: UUID
  package var name: String
  package var blocks: Int
  package var first: UInt32
  package var isRevoked: Bool
  package var isReader: Bool
  package var isOwn: Bool
  /// Whether the blocks are held back: the instance is a member, but unreadable entries may change that.
  package var isHeldBack: Bool
}

extension Held {
  var mark: String { "\(instance) \(blocks)" }
}

extension QuarantineRow {
  var mark: String { "\(container) \(branch) \(index) \(reason)" }
}

package struct UnappliedBlocks {
  let members: Roster
  private var store: Store { members.store }

  package func held() throws -> [Held] {
    let blocks = try store.blocks.pendingBlocks()
    guard !blocks.isEmpty else { return [] }
    let names = try members.names()
    let membership = try members.membership()
    let back = try Set(store.blocks.blocks(.heldBack).map(\.instance))
    return blocks.map {
      Held(
        instance: $0.instance, name: names[$0.instance] ?? "", blocks: $0.blocks, first: $0.first,
        isRevoked: membership?[$0.instance]?.revoked != nil, isReader: membership?[$0.instance]?.role == .read,
        isOwn: $0.instance == members.folder.instance,
        isHeldBack: back.contains($0.instance) && membership?[$0.instance]?.role ?? .read > .read)
    }
  }

  private static let toldReaders = "toldReaders"
  private static let dismissed = "dismissed"

  func dismissed() throws -> Set<String> {
    Set(try (store.metaText(UnappliedBlocks.dismissed) ?? "").split(separator: "\n").map(String.init))
  }

  /// Stops reporting all held and quarantined items until they change.
  package func dismiss() throws -> Int {
    try store.write {
      let marks = try Set(held().map(\.mark) + store.peers.quarantine().map(\.mark))
      let new = try marks.subtracting(dismissed()).count
      try store.setMeta(UnappliedBlocks.dismissed, .text(marks.sorted().joined(separator: "\n")))
      return new
    }
  }

  /// Returns the held blocks to report after an exchange. A reader's blocks may be held forever, so they are reported
  /// only when their number changes.
  package func pendingBlocksToReport() throws -> [Held] {
    let dismissed = try dismissed()
    let held = try held().filter { !dismissed.contains($0.mark) }
    let readers = held.filter(\.isReader).map { "\($0.instance) \($0.blocks)" }.joined(separator: "\n")
    let reported = try store.metaText(UnappliedBlocks.toldReaders) ?? ""
    if readers == reported { return held.filter { !$0.isReader } }
    try store.write { try store.setMeta(UnappliedBlocks.toldReaders, .text(readers)) }
    let known = Set(reported.split(separator: "\n").map(String.init))
    return held.filter { !$0.isReader || !known.contains("\($0.instance) \($0.blocks)") }
  }

  /// Returns blocks that other instances have announced but that have not arrived. A container is withholding them,
  /// unless they were not imported because of a limit.
  package func withheld() throws -> [Problem] {
    let left = try UnimportedBlocks.all(members.folder)
    return try store.peers.chainsSeenElsewhere().filter { one in
      !left.contains { $0.explains(one.instance, upTo: one.announced) }
    }.map {
      Problem(.withheld, place: "", instance: $0.instance, index: $0.announced, detail: $0.have < 0 ? "" : "\($0.have)")
    }
  }

  package func forks() throws -> [Problem] {
    try store.branches.siblings().map { Problem(fork: $0.id, place: "", index: $0.first) }
  }

  /// Returns, for each chain and kind of problem, the first block that cannot be applied.
  package func unapplied() throws -> [Problem] {
    var problems = try members.badRemovals()
    problems += try store.branches.wrongClocks().map {
      var problem = Problem(.badLamport, place: "", branch: $0.branch, index: $0.index)
      problem.isStored = true
      return problem
    }
    for one in try store.blocks.unreadBlocks() {
      let code: Problem.Code =
        switch one.reason {
        case .badTag: .badTag
        case .badPayload: .badPayload
        case .noKey: .noKey
        default: .notReadable
        }
      var problem = Problem(code, place: "", branch: one.branch, index: one.first)
      problem.isStored = true
      problems.append(problem)
    }
    return problems
  }

  package func unopened() throws -> [Problem] { try unapplied().filter { $0.code == .noKey } }

  package func unauthorized() throws -> [Problem] {
    try store.blocks.pendingBlocks().map {
      Problem(.unauthorized, place: "", instance: $0.instance, index: $0.first, detail: String($0.blocks))
    }
  }
}

extension Roster {
  package var uncounted: UnappliedBlocks { UnappliedBlocks(members: self) }
}
