import SeaCore
import SeaStore

/// The blocks of one instance that are kept and not applied.
package struct Held: Sendable {
  package var instance: UUID
  package var name: String
  package var blocks: Int
  package var first: UInt32
  /// Whether it was a member before.
  package var isRevoked: Bool
  /// Whether it is a member that may read only.
  package var isReader: Bool
  /// Whether it is this instance.
  package var isOwn: Bool
  /// Whether it is a member, and what cannot be read may say otherwise.
  package var isHeldBack: Bool
}

extension Held {
  /// What is dismissed with it.
  var mark: String { "\(instance) \(blocks)" }
}

extension QuarantineRow {
  /// What is dismissed with it.
  var mark: String { "\(container) \(branch) \(index) \(reason)" }
}

/// What is here and does not count, or not yet, and why.
package struct Uncounted {
  let members: Roster
  private var store: Store { members.store }

  /// Who has written what does not count.
  package func held() throws -> [Held] {
    let blocks = try store.blocks.heldBlocks()
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

  /// What somebody has seen and does not want to see again until it changes.
  func dismissed() throws -> Set<String> {
    Set(try (store.metaText(Uncounted.dismissed) ?? "").split(separator: "\n").map(String.init))
  }

  /// Hides all that is quarantined now, until it changes.
  /// - Returns: how much of it was not hidden before.
  package func dismiss() throws -> Int {
    try store.write {
      let marks = try Set(held().map(\.mark) + store.peers.quarantine().map(\.mark))
      let new = try marks.subtracting(dismissed()).count
      try store.setMeta(Uncounted.dismissed, .text(marks.sorted().joined(separator: "\n")))
      return new
    }
  }

  /// Those to tell of after an exchange. That a reader wrote before it was one stays so, perhaps for ever: it is told when
  /// it becomes known, and `held` says it whenever somebody asks.
  package func heldToTell() throws -> [Held] {
    let dismissed = try dismissed()
    let held = try held().filter { !dismissed.contains($0.mark) }
    let readers = held.filter(\.isReader).map { "\($0.instance) \($0.blocks)" }.joined(separator: "\n")
    let told = try store.metaText(Uncounted.toldReaders) ?? ""
    if readers == told { return held.filter { !$0.isReader } }
    try store.write { try store.setMeta(Uncounted.toldReaders, .text(readers)) }
    let known = Set(told.split(separator: "\n").map(String.init))
    return held.filter { !$0.isReader || !known.contains("\($0.instance) \($0.blocks)") }
  }

  /// What others say that they have seen and this instance has not. On its way, as a rule; if it stays so, a container
  /// withholds it, unless this instance has left it there.
  package func withheld() throws -> [Problem] {
    let left = try LeftBehind.all(members.folder)
    return try store.peers.withheld().filter { one in
      !left.contains { $0.explains(one.instance, upTo: one.announced) }
    }.map {
      Problem(.withheld, place: "", instance: $0.instance, index: $0.announced, detail: $0.have < 0 ? "" : "\($0.have)")
    }
  }

  /// The branches that left the trunk of a chain, or another branch. Both count.
  package func forks() throws -> [Problem] {
    try store.branches.siblings().map { Problem(fork: $0.id, place: "", index: $0.first) }
  }

  /// Of each chain the first block of each kind of which nothing can be applied: with a wrong clock, not readable, or with
  /// something that is no payload; also what waits for a key.
  package func unapplied() throws -> [Problem] {
    var problems = try members.badRemovals()
    problems += try store.branches.wrongClocks().map {
      var problem = Problem(.badLamport, place: "", branch: $0.branch, index: $0.index)
      problem.isKept = true
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
      problem.isKept = true
      problems.append(problem)
    }
    return problems
  }

  /// Of each branch the first block that could not be read for want of a key.
  package func unopened() throws -> [Problem] { try unapplied().filter { $0.code == .noKey } }

  /// What is kept here and counts nowhere.
  package func unauthorised() throws -> [Problem] {
    try store.blocks.heldBlocks().map {
      Problem(.unauthorised, place: "", instance: $0.instance, index: $0.first, detail: String($0.blocks))
    }
  }
}

extension Roster {
  package var uncounted: Uncounted { Uncounted(members: self) }
}
