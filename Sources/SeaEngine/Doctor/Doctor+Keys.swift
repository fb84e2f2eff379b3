import SeaCore
import SeaStore
import SeaSystem

// Keys, passphrases and clocks.

extension Doctor {
  func lookAtKeys(_ examined: inout Examined) throws {
    let isThere = try Path.exists(folder.keysPath)
    let names = isThere ? try Directory(folder.keysPath).list().entries.map(\.name) : []
    examined.look(at: .identity, names.contains(IdentityFile.name) ? 1 : 0)
    if !names.contains(IdentityFile.name) { examined.find(folder.keysPath, .noIdentity) }
    let kept = try KeyFile.read(folder: folder.keysPath)
    examined.look(at: .epochKey, kept?.keys.count ?? 0)
    if let guests = kept?.guests.count, guests > 0 { examined.look(at: .guestKey, guests) }
    let old = names.count { IdentityFile.isOld($0) }
    if old > 0 { examined.find(folder.keysPath, .oldKeys(old)) }
    if let kept, try store.metaInt("keepsKeys") == 0 { examined.find(folder.keysPath, .keptKeys(kept.keys.count)) }
  }

  /// Anybody who has a container may try passphrases for as long as he likes.
  func lookAtSlots(_ examined: inout Examined) throws {
    var (count, weak, rounds) = (0, 0, Int.max)
    if try folder.isSealed() {
      for slot in try database.keychain.validSlots() {
        guard case .password(_, let asked) = slot.kind else { continue }
        count += 1
        if asked < Slot.leastNewRounds { (weak, rounds) = (weak + 1, min(rounds, asked)) }
      }
    }
    examined.look(at: .slot, count)
    if weak > 0 { examined.find(folder.path, .weakSlots(weak, rounds: rounds)) }
  }

  /// Clocks that are set by hand differ by this much.
  private static let tolerance: Int64 = 120_000

  /// Nobody decides anything by clocks; but people read what they say.
  func lookAtClocks(_ examined: inout Examined) throws {
    let now = folder.settings.clock()
    for chain in try store.branches.chains() {
      examined.look(at: .chain)
      let ahead = chain.time.subtractingReportingOverflow(now)
      guard !ahead.overflow, ahead.partialValue > Doctor.tolerance else { continue }
      let name = chain.name.isEmpty ? chain.instance.description : chain.name
      let isOwn = chain.instance == folder.instance
      examined.find(name, isOwn ? .setBack(ahead.partialValue) : .ahead(ahead.partialValue))
    }
  }
}
