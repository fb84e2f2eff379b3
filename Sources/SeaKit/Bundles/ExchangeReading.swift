internal import SeaCore
internal import SeaEngine
internal import SeaSystem
internal import enum SeaContainer.BundleSource

/// An import of an exchange directory.
struct ExchangeReading {
  private let engine: Engine
  private let place: ExchangePlace
  private var open: [(bundle: BundleImport, path: String)] = []
  private var result = ExchangeImport()

  /// Whether nothing is taken in: what lies elsewhere stays there.
  private let isLooking: Bool

  init(_ engine: Engine, _ directory: String, isLooking: Bool = false) throws {
    (self.engine, self.isLooking) = (engine, isLooking)
    if let path = ExchangePlace.path(of: directory), try Path.statusFollowing(path) == nil {
      throw SeaError.nothing(at: path)
    }
    place = try ExchangePlace(reaching: directory, engine)
    let bundles = try place.folder.bundles()
    guard !bundles.isEmpty else { throw TransferError.noBundles(path: directory) }
    var others: TransferError?
    for bundle in bundles {
      do {
        open.append((try opened(bundle), bundle.path))
      } catch let error as TransferError {
        // A stick may carry those of several databases.
        if case .mismatch = error { others = error } else { fail(bundle.name, error) }
      }
    }
    if let others, open.isEmpty, result.failures.isEmpty { throw others }
  }

  /// A bundle as it says itself; of a place elsewhere all of it is here if it has anything new.
  private func opened(_ bundle: ExchangeFolder.Bundle) throws -> BundleImport {
    guard case .elsewhere(let far) = place else {
      return try BundleImport(.file(path: bundle.path), named: bundle.name, in: engine.bundles)
    }
    let taking = try far.taking(bundle, in: engine.bundles)
    if try isLooking || taking.isKnown() { return taking }
    try far.fetch(bundle)
    return try far.taking(bundle, in: engine.bundles)
  }

  func infos() throws -> [String: BundleInfo] {
    let instances = try Instances(engine)
    var infos: [String: BundleInfo] = [:]
    for (bundle, _) in open {
      let lacking = try bundle.missing().filter { base in
        !open.contains { $0.bundle !== bundle && $0.bundle.brought.contains { base.isCovered(by: $0) } }
      }
      infos[bundle.name] = BundleInfo(
        bundle, from: instances[bundle.manifest.from], isComplete: lacking.isEmpty,
        isKnown: try lacking.isEmpty && bundle.isKnown())
    }
    return infos
  }

  private mutating func fail(_ name: String, _ error: any Error) { result.failures[name] = SeaError(known: error) }

  mutating func run(assets filter: AssetFilter, merges: Bool) throws -> ExchangeImport {
    try engine.bundles.enter(through: open.map { .file(path: $0.path) })
    var conflicts = SyncResult()
    while let at = try open.firstIndex(where: { try $0.bundle.missing().isEmpty }) {
      try engine.settings.checkStop()
      let bundle = open.remove(at: at).bundle
      do {
        if try bundle.isKnown(filter) {
          result.known += 1
          continue
        }
        let taken = try bundle.run(assets: filter)
        conflicts.add(taken.exchange)
        result.bundles.append(ExchangeImport.Bundle(bundle.name, taken))
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    for (bundle, _) in open {
      do {
        // A damaged one may claim anything.
        try bundle.check()
        throw TransferError.baseMissing(name: bundle.name, try bundle.missing())
      } catch let error as TransferError { fail(bundle.name, error) }
    }
    result.merged = try engine.bundles.followUp(merges: merges).map(\.id)
    try engine.conflicts.forEach(among: conflicts.conflicts) {
      result.conflicts.append($0.id)
      return true
    }
    try place.leaveWord(of: engine.bundles, writing: nil)
    return result
  }
}
