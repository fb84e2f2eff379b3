internal import SeaCore
internal import SeaEngine

/// The copies of the database, with the number of blocks that each has, as far as this instance knows. A block is a
/// transaction, and the blocks of an instance form its chain.
///
///     let copies = try await database.copies()
///     for (name, blocks) in copies.containers { print(name, "lacks", copies.missing(from: blocks)) }
public struct Copies: Sendable, Hashable {
  /// The chain of an instance.
  public struct Chain: Sendable, Hashable, Identifiable {
    /// The instance that wrote the chain.
    public let instance: Instance
    /// The number of blocks that are stored here.
    public let blocks: Int
    /// Whether the chain has several branches, because a copy of its database was restored or duplicated.
    public let isForked: Bool

    /// The id of the instance.
    public var id: String { instance.id }
  }

  /// The chains: that of this instance, then the others by the names of their instances.
  public let chains: [Chain]
  /// The number of blocks of each chain that an instance had when it wrote its newest block. Both keys are ids of
  /// instances. An instance can have more by now.
  public let instances: [String: [String: Int]]
  /// The number of blocks of each chain that a container had when it was last synced, by the name of the container and
  /// the id of an instance.
  public let containers: [String: [String: Int]]
  /// Forks of chains, and blocks that are missing or cannot be applied.
  public let problems: [Finding]

  /// Returns the number of blocks stored here that a copy lacks.
  public func missing(from copy: [String: Int]) -> Int {
    chains.reduce(0) { $0 + max(0, $1.blocks - (copy[$1.id] ?? 0)) }
  }
}

extension Database {
  /// Returns the copies of the database with their blocks. This does not access containers.
  public func copies() async throws -> Copies {
    try await reading { engine in
      try engine.atOneState {
        let survey = try engine.copySurvey()
        let instances = try Instances(engine)
        let chains = survey.here.map { id, blocks in
          Copies.Chain(instance: instances[id], blocks: blocks, isForked: survey.forked.contains(id))
        }
        func named(_ counts: [UUID: Int]) -> [String: Int] {
          Dictionary(uniqueKeysWithValues: counts.map { ($0.key.description, $0.value) })
        }
        let uncounted = engine.members.uncounted
        return Copies(
          chains: chains.sorted {
            ($0.instance.isOwn ? 0 : 1, $0.instance.name ?? "", $0.id) < (
              $1.instance.isOwn ? 0 : 1, $1.instance.name ?? "", $1.id
            )
          },
          instances: Dictionary(
            uniqueKeysWithValues: survey.instances.map { ($0.key.description, named($0.value)) }),
          containers: survey.containers.mapValues(named),
          problems: try (uncounted.forks() + uncounted.withheld() + uncounted.unapplied()).map { Finding($0) })
      }
    }
  }
}
