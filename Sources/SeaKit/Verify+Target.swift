import SeaContainer
import SeaCore
import SeaStore

extension Verify {
  /// What somebody wants verified.
  package enum Target {
    case container(Container, place: String)
    /// A chain, wherever it is looked for.
    case chain(UUID)
    /// A block in our own store.
    case block(UUID, UInt32)
  }

  /// What a text names: an attached container, a container at a place, an instance, or a block of one.
  /// - Parameter location: the text as a place.
  package static func target(_ text: String, at location: String, in database: Database?) throws -> Target {
    if let database, let setting = try? database.containerSetting(text) {
      return .container(try database.open(setting), place: text)
    }
    let container = try Database.container(at: location)
    let fault: ContainerError
    do throws(ContainerError) {
      _ = try container.info()
      return .container(container, place: text)
    } catch { fault = error }
    if let database {
      if let chain = try? database.instance(named: text) { return .chain(chain.instance) }
      if let slash = text.lastIndex(of: "/"), let index = UInt32(text[text.index(after: slash)...]),
        let chain = try? database.instance(named: String(text[..<slash]))
      {
        return .block(chain.instance, index)
      }
    } else if let id = UUID(text) {
      return .chain(id)
    }
    throw fault
  }
}

extension Database {
  /// One block of our own store: against the block before it, its checksum, its signature, and the format.
  /// - Throws: `blockNotFound`.
  package func verifyBlock(_ instance: UUID, _ index: UInt32) throws -> Problem? {
    guard let chain = try store.chain(instance), let row = try store.block(instance, index) else {
      throw KitError.blockNotFound("\(instance)/\(index)")
    }
    var verifier = ChainVerifier(database: databaseID, instance: instance, knownKey: chain.publicKey)
    if index > 0 {
      guard let before = try store.block(instance, index - 1) else {
        return Problem(.gap, place: "", instance: instance, index: index - 1)
      }
      verifier = try ChainVerifier(
        database: databaseID, head: ChainHead(instance: instance, index: index - 1, digest: before.digest),
        lamport: before.lamport, key: chain.publicKey, isSealed: isSealed())
    }
    let bytes = try store.bytes(of: row)
    let ring = try keysAtHand()
    do {
      _ = try bytes.withUnsafeBytes { try verifier.check($0, keys: ring) }
      if verifier.settle() != nil { throw CoreError.badBlock(.badSignature) }
      _ = try bytes.withUnsafeBytes { try BlockReader.open($0, of: instance, keys: ring) }
    } catch let error as CoreError {
      return Problem(Problem.Code(error), place: "", instance: instance, index: index)
    }
    return nil
  }

  /// Where the block that a problem is about can be had whole: `.sea` for our own store, or an attached container.
  package func goodCopy(of problem: Problem) throws -> String? {
    guard let instance = problem.instance, let index = problem.index, let row = try store.block(instance, index) else {
      return nil
    }
    if !problem.place.isEmpty, let bytes = try? store.bytes(of: row), SHA256.hash(bytes) == row.digest {
      return Location.folderName
    }
    for setting in try containerSettings() where setting.name != problem.place {
      guard let container = try? open(setting) else { continue }
      var found: Digest?
      _ = try? container.readBlocks(of: ChainName(instance), from: index) { _, bytes in
        found = SHA256.hash(bytes)
        return false
      }
      if found == row.digest { return setting.name }
    }
    return nil
  }
}
