/// The name of a branch of a chain: the instance that writes it, and for a sibling branch `~` and the first 32 hex digits
/// of the digest of its first block. The trunk is the branch without digits.
///
/// Which of two branches is the trunk is for each place to say: it is the one that came first there.
package struct BranchID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let instance: UUID
  /// What the branch's first block says; nil for the trunk.
  package let fork: ForkID?

  package init(_ instance: UUID, fork: ForkID? = nil) {
    self.instance = instance
    self.fork = fork
  }

  /// The sibling branch that begins with the block of this digest.
  package init(_ instance: UUID, forkedAt digest: Digest) {
    self.init(instance, fork: ForkID(digest))
  }

  /// Reads the text form and nothing else: lower case, both parts whole.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "~"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = String(parts[0]), let instance = UUID(name) else { return nil }
    guard parts.count == 2 else {
      self.init(instance)
      return
    }
    guard let digits = String(parts[1]), let fork = ForkID(digits) else { return nil }
    self.init(instance, fork: fork)
  }

  package var isTrunk: Bool { fork == nil }
  package var trunk: BranchID { BranchID(instance) }

  package var description: String {
    guard let fork else { return instance.description }
    return "\(instance)~\(fork)"
  }

  /// What people see behind the name of the instance: nothing, or `~` and 8 digits, by which it can be named.
  package var tail: String { fork.map { "~\($0.description.prefix(8))" } ?? "" }

  /// The trunk comes before its siblings.
  package static func < (x: BranchID, y: BranchID) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    guard let fork = x.fork, let other = y.fork else { return x.fork == nil && y.fork != nil }
    return fork < other
  }
}
