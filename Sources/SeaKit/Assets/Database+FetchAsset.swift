import SeaCore
import SeaStore

extension Database {
  /// Gets the content of an asset that is not here, from the first container that has it whole and right.
  ///
  /// What an earlier run has left unfinished is gone on with. A copy that is not what the records say is told to
  /// `report` as `bad-asset`, and the next container is asked.
  /// - Throws: what this device could not do, `noKey`; and what a container could not, if no other one has the content.
  package func fetch(
    _ asset: AssetRow, from origins: [AssetOrigin], _ report: @escaping (Problem) -> Void
  ) throws -> FetchOutcome {
    if try here(asset) != nil { return .here }
    let others = try store.assets.assets(size: asset.size, digest: asset.digest).filter { $0.run != asset.run }
    var outcome = FetchOutcome.missing
    var failure: (any Error)?
    for candidate in [asset] + others {
      guard isPlausible(candidate) else {
        if candidate.run == asset.run { report(Problem(.badReference, candidate, place: "")) }
        outcome = .bad
        continue
      }
      do {
        switch try AssetFetch(self, candidate, report).run(origins) {
        case .missing: continue
        case .bad: outcome = .bad
        case let done: return done
        }
      } catch {
        guard Database.containerState(for: error) != nil else { throw error }
        failure = error
      }
    }
    if let failure { throw failure }
    return outcome
  }
}
