import SeaCore
import SeaStore

/// What a run with a limit has seen in a container and not taken in. Nobody withholds that.
package struct LeftBehind {
  package let container: String
  /// Whether the container was not looked at to its end: then nothing is known of what else it has.
  package private(set) var isUnseen = false
  /// Up to where chains are there.
  private var tails: [UUID: UInt32] = [:]

  private static func key(_ container: String) -> String { PeerTable.leftKey + container }

  private init(container: String, isUnseen: Bool, _ runs: [BlockRun]) {
    (self.container, self.isUnseen) = (container, isUnseen)
    for run in runs { tails[run.branch.instance] = max(tails[run.branch.instance] ?? 0, run.last) }
  }

  /// Notes that blocks of a container were not taken in; of what no more is known.
  static func note(_ runs: [BlockRun], isUnseen: Bool = false, in container: String, _ store: Store) throws {
    let left = LeftBehind(container: container, isUnseen: isUnseen, runs)
    try store.write { try store.setMeta(key(container), .blob(left.bytes)) }
  }

  /// Notes that all was taken in.
  static func forget(_ container: String, _ store: Store) throws {
    guard try store.metaBlob(key(container)) != nil else { return }
    try store.write { try store.peers.forgetLeft(container) }
  }

  /// In containers of which something was left that is still not here.
  package static func all(_ store: Store) throws -> [LeftBehind] {
    try store.peers.left().compactMap { container, bytes in
      var left = try LeftBehind(container, bytes)
      for (instance, last) in left.tails {
        if let head = try store.branches.chain(instance)?.trunk.head.index, head >= last { left.tails[instance] = nil }
      }
      return left.isUnseen || !left.tails.isEmpty ? left : nil
    }
  }

  /// Of how many chains something is left, as far as it is known.
  package var chains: Int { tails.count }

  /// Whether it explains that a chain is not here up to an index.
  func explains(_ instance: UUID, upTo index: UInt32) -> Bool { isUnseen || tails[instance] ?? 0 >= index }

  // MARK: As bytes

  private init(_ container: String, _ bytes: [UInt8]) throws {
    self.container = container
    var reader = ByteReader(bytes)
    guard let flag = reader.byte() else { throw KitError.damaged("meta") }
    isUnseen = flag != 0
    while !reader.isAtEnd {
      guard let instance = reader.uuid(), let last = reader.uint32() else { throw KitError.damaged("meta") }
      tails[instance] = last
    }
  }

  private var bytes: [UInt8] {
    var writer = ByteWriter()
    writer.byte(isUnseen ? 1 : 0)
    for (instance, last) in tails.sorted(by: { $0.key < $1.key }) {
      writer.append(instance.bytes)
      writer.uint32(last)
    }
    return writer.array()
  }
}
