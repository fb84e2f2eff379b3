import SeaCore
import SeaStore

/// What a run with a limit has seen in a container and not taken in. Nobody withholds that.
package struct LeftBehind {
  package let container: String
  private let left: ContainerState.Left

  /// In containers of which something was left that is still not here.
  static func all(_ folder: SeaFolder) throws -> [LeftBehind] {
    try folder.store.peers.containers().compactMap { container in
      guard var left = try folder.state(of: container).left else { return nil }
      left.tails = try left.tails.filter { instance, last in
        try folder.store.branches.chain(instance).map { $0.trunk.head.index < last } ?? true
      }
      return left.isUnseen || !left.tails.isEmpty ? LeftBehind(container: container, left: left) : nil
    }
  }

  /// Whether the container was not looked at to its end: then nothing is known of what else it has.
  package var isUnseen: Bool { left.isUnseen }

  /// Of how many chains something is left, as far as it is known.
  package var chains: Int { left.tails.count }

  /// Whether it explains that a chain is not here up to an index.
  func explains(_ instance: UUID, upTo index: UInt32) -> Bool { isUnseen || left.tails[instance] ?? 0 >= index }
}

extension ContainerState.Left {
  /// A container that was not looked at to its end.
  static let unseen = ContainerState.Left(isUnseen: true)

  /// Blocks that were not taken in.
  init(_ runs: [BlockRun]) {
    self.init(tails: Dictionary(runs.map { ($0.branch.instance, $0.last) }, uniquingKeysWith: max))
  }
}
