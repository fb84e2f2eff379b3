import SeaContainer
import SeaCore
import SeaStore

extension Verification {
  /// What somebody wants verified.
  package enum Target {
    case container(Container, place: String)
    /// A chain, wherever it is looked for.
    case chain(UUID)
    /// A block in our own store.
    case block(BlockRow)
  }

  /// What a text names: an attached container, a container at a place, an instance, or a block of one.
  /// - Parameter location: the text as a place.
  package static func target(
    _ text: String, at location: String, in verification: Verification?, _ helpers: Helpers
  ) throws -> Target {
    if let containers = verification?.containers, let setting = try? containers.setting(text) {
      return .container(try containers.open(setting), place: text)
    }
    let container = try Containers.at(location, helpers)
    let fault: ContainerError
    do throws(ContainerError) {
      _ = try container.info()
      return .container(container, place: text)
    } catch { fault = error }
    if let verification {
      if let chain = try? verification.members.instance(named: text) { return .chain(chain) }
      do {
        return .block(try verification.records.block(named: text))
      } catch KitError.blockNotFound(let name) {
        throw KitError.blockNotFound(name)
      } catch let error as KitError where error.isAboutNames {}
    } else if let id = UUID(text) {
      return .chain(id)
    }
    if case .notAContainer = fault { try Mirror.checkNameless(container) }
    throw fault
  }
}

extension Verification {
  /// One block of our own store: against the block before it, its checksum, its signature, and the format.
  package func verifyBlock(_ row: BlockRow) throws -> Problem? {
    let (instance, index) = (row.instance, row.index)
    guard let chain = try store.branches.chain(instance) else { throw KitError.blockNotFound(row.ref.description) }
    var verifier = ChainVerifier(database: folder.databaseID, instance: instance, knownKey: chain.publicKey)
    if index > 0 {
      guard let before = try store.branches.ancestor(of: row, at: index - 1) else {
        return Problem(.gap, place: "", branch: row.branch, index: index - 1)
      }
      verifier = try folder.verifier(behind: before, key: chain.publicKey)
    }
    let bytes = try store.content.bytes(of: row)
    let ring = try keychain.ringAtHand()
    do {
      _ = try bytes.withUnsafeBytes { try verifier.check($0, keys: ring) }
      if verifier.checkSignature() != nil, try !isSignedLater(row, key: chain.publicKey) {
        throw CoreError.badBlock(.badSignature)
      }
      _ = try bytes.withUnsafeBytes { try BlockReader.open($0, of: instance, keys: ring) }
    } catch let error as CoreError {
      return Problem(Problem.Code(error), place: "", branch: row.branch, index: index)
    }
    return nil
  }

  /// Whether a later block of the branch is signed, and by that this one, which its hash leads back to.
  private func isSignedLater(_ row: BlockRow, key: [UInt8]) throws -> Bool {
    var before = row
    var isSigned = false
    try store.blocks.forEachBlock(of: row.branch, from: row.index + 1) { row, bytes in
      // A removed block carries nothing back.
      if row.isRemoved { return false }
      var verifier = try folder.verifier(behind: before, key: key)
      guard (try? bytes.withUnsafeBytes { try verifier.check($0) }) != nil else { return false }
      isSigned = verifier.checkSignature() == nil
      before = row
      return !isSigned
    }
    return isSigned
  }

  /// What this database knows to have been in a container and is not there now, by names and sizes.
  /// - Parameter besides: branches of which something was told.
  package func gone(from container: Container, _ name: String, besides: Set<BranchID>) throws -> [Problem] {
    let settings = try containers.settings()
    let setting = settings.first { $0.name == name } ?? settings.first { $0.location == container.location }
    guard let setting, try isOwn(container) else { return [] }
    return try exchange.look(at: setting, container).gone(from: name, besides: besides)
  }

  /// Where the block that a problem is about can be had whole: `.sea` for our own store, or an attached container.
  package func goodCopy(of problem: Problem) throws -> String? {
    if problem.isAsset { return try goodAsset(for: problem) }
    guard problem.code != .fork, !problem.isSigned, let branch = problem.branch, let index = problem.index,
      let row = try store.blocks.block(branch, index)
    else { return nil }
    if !problem.place.isEmpty, let bytes = try? store.content.bytes(of: row), SHA256.hash(bytes) == row.digest {
      return Location.folderName
    }
    for setting in try containers.settings() where setting.name != problem.place {
      guard let container = try? containers.open(setting) else { continue }
      var isWhole = false
      // A removed block says the same hash, and is no copy.
      _ = try? container.readBlocks(of: branch, from: index) { _, bytes in
        isWhole = SHA256.hash(bytes) == row.digest
        return false
      }
      if isWhole { return setting.name }
    }
    return nil
  }
}
