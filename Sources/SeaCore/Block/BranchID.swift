/// The name of a branch of a chain: the instance that writes it, and for a sibling branch `~` and the first 8 hex digits
/// of the digest of its first block. The trunk is the branch without digits.
///
/// Which of two branches is the trunk is for each place to say: it is the one that came first there.
package struct BranchID: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let instance: UUID
  /// The first 32 bits of the digest of the branch's first block; nil for the trunk.
  package let fork: UInt32?

  package init(_ instance: UUID, fork: UInt32? = nil) {
    self.instance = instance
    self.fork = fork
  }

  /// The sibling branch that begins with the block of this digest.
  package init(_ instance: UUID, forkedAt digest: Digest) {
    self.init(instance, fork: UInt32(truncatingIfNeeded: digest.a >> 32))
  }

  /// Reads the text form and nothing else: lower case, both parts whole.
  package init?(_ text: String) {
    let parts = text.utf8.split(separator: UInt8(ascii: "~"), maxSplits: 1, omittingEmptySubsequences: false)
    guard let name = String(parts[0]), let instance = UUID(name) else { return nil }
    guard parts.count == 2 else {
      self.init(instance)
      return
    }
    guard parts[1].count == 8, let digits = String(parts[1]), let bytes = Hex.bytes(digits) else { return nil }
    self.init(instance, fork: bytes.reduce(0) { $0 << 8 | UInt32($1) })
  }

  package var isTrunk: Bool { fork == nil }
  package var trunk: BranchID { BranchID(instance) }

  package var description: String {
    guard let fork else { return instance.description }
    return instance.description + "~" + withUnsafeBytes(of: fork.bigEndian) { Hex.text($0) }
  }

  /// The trunk comes before its siblings.
  package static func < (x: BranchID, y: BranchID) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    return (x.fork.map(Int64.init) ?? -1) < (y.fork.map(Int64.init) ?? -1)
  }
}
