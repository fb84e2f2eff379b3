/// The name of a branch of a chain. The name of the main branch is the instance id. The name of a fork branch also has
/// `~` and the first 32 hex digits of the digest of its first block.
///
/// The main branch is the branch that arrived first, so it can differ between locations.
package struct BranchID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let instance: UUID
  package let fork: ForkID?

  package init(_ instance: UUID, fork: ForkID? = nil) {
    self.instance = instance
    self.fork = fork
  }

  package init(_ instance: UUID, forkedAt digest: Digest) {
    self.init(instance, fork: ForkID(digest))
  }

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

  package var isMainBranch: Bool { fork == nil }
  package var mainBranch: BranchID { BranchID(instance) }

  package var description: String {
    guard let fork else { return instance.description }
    return "\(instance)~\(fork)"
  }

  /// In output, the part of a branch name that follows the instance's name: either nothing, or `~` and 8 digits.
  package var tail: String { fork.map { "~\($0.description.prefix(8))" } ?? "" }

  package static func < (x: BranchID, y: BranchID) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    guard let fork = x.fork, let other = y.fork else { return x.fork == nil && y.fork != nil }
    return fork < other
  }
}
