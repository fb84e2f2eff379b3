import SeaContainer
import SeaCore
import SeaStore

/// What was found about a bundle.
package struct BundleReport: Sendable {
  package var place: String
  package var manifest: BundleManifest
  /// Which bundle it is: SHA-256 of its manifest.
  package var digest: Digest
  package var chains: [ChainReport]
  package var assets = 0
  package var assetBytes: Int64 = 0
  /// Blocks that were removed without an order.
  package var removals: [Problem] = []
  /// Of each branch the first block that opened under a key for which nothing speaks.
  package var unvouched: [Problem] = []
  /// What its assets are, held against what its blocks say of them, if that was wanted.
  package var checked: (report: AssetReport, problems: [Problem])?
  /// How many removed blocks nobody here can judge.
  package var unknownRemovals = 0
}

extension Verification {
  /// A whole bundle: every member against the manifest, and every chain; it needs no database and no key.
  /// - Parameters:
  ///   - temporary: a folder for a large manifest while it is read.
  ///   - keys: what opens sealed blocks, if they are to be opened.
  ///   - names: what instances are called.
  ///   - own: knows more than the bundle, if it is of the same database.
  ///   - vouched: the keys for which something speaks that it knows.
  ///   - readsAssets: whether assets are held against what blocks say of them.
  ///   - assetKeys: what opens them, where that is not `keys`.
  /// - Throws: `TransferError.bundle`.
  package static func bundle(
    _ source: BundleSource, named place: String, temporary: String, readsPayloads: Bool, keys: KeyRing? = nil,
    names: [UUID: String] = [:], own: SeaFolder? = nil, vouched: KeyRing? = nil, readsAssets: Bool = false,
    assetKeys: KeyRing? = nil, report: WorkReport? = nil, checkStop: @escaping () throws -> Void = {}
  ) throws -> BundleReport {
    try BundleFault.named(place) {
      let reader = try BundleReader(source, temporary: temporary)
      let manifest = try reader.manifest()
      let check = try readsAssets ? BundleAssetCheck(reader, named: place, keys: keys ?? assetKeys) : nil
      let survey = BundleSurvey(
        manifest, place: place, readsPayloads: readsPayloads, keys: keys, names: names, check: check,
        work: WorkMeter(report, .verifying, place, of: manifest.bytes), checkStop: checkStop)
      let digest = try reader.read(survey).1
      survey.finishAll()
      var result = BundleReport(
        place: place, manifest: manifest, digest: digest, chains: survey.reports, assets: survey.assets.count,
        assetBytes: survey.assets.bytes)
      result.checked = check?.finish()
      let store = own?.databaseID == manifest.database ? own?.store : nil
      result.removals = survey.removals(
        known: { ref in
          // Whoever has the block whole knows that it is one, and not whether it may go.
          guard let row = try? store?.blocks.block(ref) else { return false }
          return row.isRemoved && row.state != .unread
        }, unknown: &result.unknownRemovals)
      // What a branch has left may be in another bundle.
      let holes = Holes(result.removals) { _ in nil }
      for at in result.chains.indices { try holes.end(&result.chains[at]) }
      result.removals.removeAll { holes.tells(of: $0) }
      if readsPayloads {
        result.unvouched = try survey.unvouched(store == nil ? nil : vouched, store?.control.slots() ?? [])
      }
      return result
    }
  }
}

extension Verification {
  /// What opens the blocks of a bundle: the keys of its database, or those that a password opens with the slots in it.
  /// - Returns: nil if it is not sealed.
  /// - Throws: `noKey` if there are none, `badPassword`, `TransferError.bundle`.
  package static func keys(
    of source: BundleSource, named place: String, temporary: String, by keychain: Keychain?,
    password: (PasswordUse) throws -> [UInt8]?
  ) throws -> KeyRing? {
    let (manifest, slots) = try BundleFault.named(place) {
      (try BundleReader(source, temporary: temporary).manifest(), try SlotPeek.slots(of: source, temporary: temporary))
    }
    guard let proof = manifest.proof, proof.isSealed else { return nil }
    if let keychain, keychain.database == manifest.database { return try keychain.ring() }
    return try Unlock.ring(password, slots, of: proof, place: place)
  }
}
