import SeaCore

/// Finds the greatest revision of one record after another: where the next record is near, without a search.
final class RevisionWalk {
  @exclusivity(unchecked) private(set) var flags: RevisionFlags = []
  @exclusivity(unchecked) private(set) var block: Int64 = 0
  @exclusivity(unchecked) private(set) var offset = 0
  @exclusivity(unchecked) private(set) var length = 0
  @exclusivity(unchecked) private var depth: UInt32 = 0
  @exclusivity(unchecked) private var digest = Digest.zero
  @exclusivity(unchecked) private var found: Int64 = 0

  /// Whether it is the record that was found.
  func isAt(_ record: Int64) -> Bool { found == record && flags.isSuperset(of: [.leaf, .attached]) }

  var revision: RevisionID { RevisionID(depth: depth, digest: digest) }

  private let forward: Statement
  private let greatest: Statement
  /// The record of the row that `forward` stands at; nil where it stands at none.
  @exclusivity(unchecked) private var next: Int64?
  /// So many rows are passed over before a search is cheaper.
  private static let near = 8

  private static let columns = "SELECT record, flags, block, offset, length, depth, digest FROM revision "

  init(_ connection: Connection) throws(StoreError) {
    forward = try Statement(connection, Self.columns + "WHERE record >= ? ORDER BY record, depth, digest")
    greatest = try Statement(connection, Self.columns + "WHERE record = ? ORDER BY depth DESC, digest DESC LIMIT 1")
  }

  /// - Returns: false if there is no revision of the record.
  func seek(_ record: Int64) throws(StoreError) -> Bool {
    if found == record { return true }
    found = 0
    if let next, next <= record, record - next <= Int64(Self.near) {
      // Behind it, or at it.
    } else {
      forward.reset()
      forward.bind(1, record as Int64?)
      try step()
    }
    var left = Self.near
    while let next, next < record, left > 0 {
      try step()
      left -= 1
    }
    while next == record, left > 0 {
      take(forward)
      found = record
      try step()
      left -= 1
    }
    guard left > 0 else {
      // A long history.
      next = nil
      found = 0
      greatest.bind(1, record as Int64?)
      defer { greatest.reset() }
      guard try greatest.step() else { return false }
      take(greatest)
      found = record
      return true
    }
    return found == record
  }

  private func step() throws(StoreError) { next = try forward.step() ? Int64(forward.int(0)) : nil }

  private func take(_ row: Statement) {
    flags = RevisionFlags(rawValue: row.int(1))
    block = Int64(row.int(2))
    offset = row.int(3)
    length = row.int(4)
    depth = UInt32(truncatingIfNeeded: row.int(5))
    let bytes = row.bytes(6)
    digest = bytes.count == Digest.size ? Digest(bytes.baseAddress!) : Digest.zero
  }
}
