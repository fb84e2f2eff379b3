import SeaCore
import SeaStore
import SeaSystem

/// Where an instance was last seen writing: a small file outside `.sea`, which a copy or a backup of `.sea` does not
/// take along. So what came back from a backup, and a copy beside the original, are found out before they write.
///
/// It is a hint: it may be missing, and one that cannot be read or written is as good as none.
package struct Seat: Equatable {
  /// The id of the machine; empty if it has none.
  var machine: String
  var device: UInt64
  var inode: UInt64
  /// The folder `.sea`.
  var path: String
  var head: BlockRef

  private static let title = "sea seat 1"

  /// Reads what is known of an instance.
  static func read(_ folder: String, _ instance: UUID) -> Seat? {
    guard let file = try? File(Path.join(folder, instance.description), [.read, .noFollow, .nonBlocking]),
      let bytes = try? file.readAll(limit: 1 << 14)
    else { return nil }
    // The path is last and may hold anything.
    let lines = String(decoding: bytes, as: UTF8.self).split(
      separator: "\n", maxSplits: 6, omittingEmptySubsequences: false)
    guard lines.count == 7, lines[0] == title, let device = UInt64(lines[2]), let inode = UInt64(lines[3]),
      let index = UInt32(lines[4]), let digest = Digest(hex: lines[5]), lines[6].hasSuffix("\n")
    else { return nil }
    return Seat(
      machine: String(lines[1]), device: device, inode: inode, path: String(lines[6].dropLast()),
      head: BlockRef(instance: instance, index: index, digest: digest))
  }

  /// Writes it down. Not made durable: what a loss of power takes back makes it older, and an older one asks for less.
  func write(_ folder: String) {
    let text = "\(Seat.title)\n\(machine)\n\(device)\n\(inode)\n\(head.index)\n\(head.digest)\n\(path)\n"
    do throws(SystemError) {
      let directory: Directory
      do throws(SystemError) { directory = try Directory(folder) } catch {
        guard error.isMissing else { throw error }
        try Path.createDirectories(folder, mode: 0o700)
        directory = try Directory(folder)
      }
      let name = head.instance.description
      let file = try directory.file(name + ".new", [.write, .create, .truncate], mode: 0o600)
      try file.write(Array(text.utf8))
      try file.close()
      try directory.rename(name + ".new", to: name)
    } catch {
      // Nobody's data depends on it.
    }
  }
}

extension Database {
  /// Where this database is, if that can be told.
  private func seat(_ head: BlockRef) -> Seat? {
    guard let status = (try? Path.statusFollowing(path)) ?? nil, let real = folder.realPath else { return nil }
    return Seat(
      machine: machine ?? "", device: status.device, inode: status.inode, path: real, head: head)
  }

  /// Writes down where this instance writes, and how far it has come.
  func recordSeat() {
    guard let folder = settings.seats, let head = (try? store.blocks.chain(instance)) ?? nil, head.head != recorded
    else {
      return
    }
    recorded = head.head
    seat(head.head)?.write(folder)
  }

  /// What speaks against going on in the own chain. The writer lock is held.
  func doubt() throws -> Renewal.Reason? {
    if let machine {
      let known = try store.metaText("machine")
      // A database on the share of a server is used from several machines, one at a time.
      if let known, known != machine, try !Path.isOnNetwork(path) { return .otherMachine }
      if known == nil { try store.write { try store.setMeta("machine", .text(machine)) } }
    }
    guard let folder = settings.seats, let head = try store.blocks.chain(instance)?.head,
      let last = Seat.read(folder, instance), last.machine == machine ?? "", let here = seat(head)
    else { return nil }
    let isThere = (here.device, here.inode) == (last.device, last.inode)
    if !isThere, here.path != last.path, Database.holds(last.path, instance) { return .copied }
    if last.head.index > head.index { return .rolledBack }
    return try store.blocks.block(BranchID(instance), last.head.index)?.digest == last.head.digest ? nil : .rolledBack
  }

  /// Whether another `.sea` goes by the same name.
  private static func holds(_ path: String, _ instance: UUID) -> Bool {
    guard let other = try? Database(path: path) else { return false }
    defer { other.close() }
    return other.instance == instance
  }
}
