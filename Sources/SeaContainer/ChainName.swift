import SeaCore

/// The name of a chain's folder: the instance that writes it, and for the sibling of a fork `~` and the first 8 hex
/// digits of the digest of the first block that differs.
package struct ChainName: Hashable, Sendable, Comparable, CustomStringConvertible {
  package let instance: UUID
  package let fork: UInt32?

  package init(_ instance: UUID, fork: UInt32? = nil) {
    self.instance = instance
    self.fork = fork
  }

  /// The sibling that begins with the block of this digest.
  package init(_ instance: UUID, forkedAt digest: Digest) {
    let first = digest.withBytes { UInt32(bigEndian: $0.loadUnaligned(as: UInt32.self)) }
    self.init(instance, fork: first)
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

  package var description: String {
    guard let fork else { return instance.description }
    var bytes = fork.bigEndian
    return instance.description + "~" + withUnsafeBytes(of: &bytes) { Hex.text($0) }
  }

  /// The chain itself comes before its siblings.
  package static func < (x: ChainName, y: ChainName) -> Bool {
    if x.instance != y.instance { return x.instance < y.instance }
    return (x.fork.map(Int64.init) ?? -1) < (y.fork.map(Int64.init) ?? -1)
  }
}
