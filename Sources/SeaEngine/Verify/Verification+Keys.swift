import SeaContainer
import SeaCore

extension Verification {
  /// What opens the blocks of a container: the keys of its database, or those that a password opens there.
  /// - Returns: nil if nothing in it says that it is sealed.
  /// - Throws: `noKey` if there are none, `badPassword`.
  package static func keys(
    of container: Container, named place: String, by keychain: Keychain?, password: (PasswordUse) throws -> [UInt8]?
  ) throws -> KeyRing? {
    let info = try container.info()
    if let keychain, keychain.database == info.database, try keychain.folder.isSealed() {
      let ring = try keychain.ring()
      _ = try keychain.openGiven { try Unlock.slots(in: container) }
      return ring
    }
    let (slots, more) = try Unlock.found(in: container)
    guard let proof = info.proof, proof.isSealed else { return nil }
    return try Unlock.ring(password, slots, of: proof, place: place, more: more)
  }

  /// So many files of each kind are told one by one.
  private static let mostTold = 20

  /// Files in the place of slots that are not what their names say, or no slots: of each code the first, and how many more there are.
  static func badSlots(of container: Container, _ database: UUID, named place: String) throws -> [Problem] {
    var found: [Problem.Code: [String]] = [:]
    for name in try container.names(in: .keys).prefix(Unlock.mostSlots) {
      let code: Problem.Code?
      if let bytes = try container.bounded(name, in: .keys), SHA256.hash(bytes).description == name {
        do throws(CoreError) {
          code = try Slot(bytes).belongs(to: database) ? nil : .foreignFile
        } catch {
          if case .badSlot(.badRounds) = error { code = .badRounds } else { code = .badSlot }
        }
      } else {
        code = .foreignFile
      }
      if let code { found[code, default: []].append("\(SmallFolder.keys.rawValue)/\(name)") }
    }
    return [Problem.Code.foreignFile, .badSlot, .badRounds].flatMap { code in
      let names = found[code] ?? []
      let more = names.count > mostTold ? ["\(names.count - mostTold) more in \(SmallFolder.keys.rawValue)"] : []
      return (names.prefix(mostTold) + more).map { Problem(code, place: place, detail: $0) }
    }
  }
}
