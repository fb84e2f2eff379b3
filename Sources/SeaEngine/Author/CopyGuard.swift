import SeaCore
import SeaStore
import SeaSystem

/// Detects, before this instance writes, that its database is a copy or a restored backup. The guard compares the
/// database with a note that is stored outside of the `.sea` folder, so copies and backups do not include it.
///
/// The note may be missing, and an unreadable note is ignored. A note is written, under the writer lock, only after the
/// block that it names is durable, so it never names a lost block. The note itself does not have to be durable: an
/// older note that remains after a power failure merely detects less.
package final class CopyGuard {
  private let folder: SeaFolder
  private(set) lazy var machine = folder.settings.machine()
  /// The note in `file`, if the file is open and the note matches the current location.
  private var note: WriterNote?
  private var file: File?

  package init(_ folder: SeaFolder) { self.folder = folder }

  /// Returns the folder for notes, which is outside of any database; nil if the environment does not define one.
  package static func folder(_ variable: (String) -> String?) -> String? {
    func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let state = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { Path.join($0, ".local/state") }
    return state.map { Path.join($0, "sea/guards") }
  }

  /// Returns the reason, if any, why the chain that ends with `head` must not be continued. The caller must hold the
  /// writer lock.
  package func doubt(_ head: BlockRef?) throws -> Renewal.Reason? {
    if let machine, try folder.store.metaText("machine") == nil {
      try folder.store.write { try folder.store.setMeta("machine", .text(machine)) }
    }
    return try suspicion(head)
  }

  private(set) var hasNote = false

  /// Returns the same result as `doubt`, but writes nothing.
  func suspicion(_ head: BlockRef?) throws -> Renewal.Reason? {
    // A database on a network share may be used from several machines, one at a time.
    if let machine, let known = try folder.store.metaText("machine"), known != machine,
      try !Path.isOnNetwork(folder.path)
    {
      return .otherMachine
    }
    guard let head, let last = read(head.instance), last.machine == machine ?? "", let here = place else { return nil }
    let isThere = (here.device, here.inode) == (last.device, last.inode)
    let hasMoved = folder.path != last.path && folder.realPath != last.path
    if isThere, !hasMoved { note = last }
    if !isThere, hasMoved, folder.realPath != nil, CopyGuard.holds(last.path, head.instance) { return .copied }
    if last.head.index > head.index { return .rolledBack }
    let known =
      try last.head == head
      || folder.store.blocks.block(BranchID(head.instance), last.head.index)?.digest == last.head.digest
    return known ? nil : .rolledBack
  }

  /// Records the location of the database and this instance's head. The caller must hold the writer lock.
  package func record(_ head: BlockRef) {
    guard let notes = folder.settings.notes, note?.head != head else { return }
    do {
      if var next = note, next.head.instance == head.instance, let file, try file.status().links > 0 {
        next.head = head
        try next.writeHead(over: file)
        note = next
      } else if let here = place, let path = folder.realPath {
        let next = WriterNote(
          machine: machine ?? "", device: here.device, inode: here.inode, path: path, head: head)
        file = try next.write(in: notes)
        note = next
      }
    } catch {
      // The note is only a hint, so a failure to write it is ignored.
      (note, file) = (nil, nil)
    }
  }

  private var place: FileStatus? { (try? Path.statusFollowing(folder.path)) ?? nil }

  private func read(_ instance: UUID) -> WriterNote? {
    (note, file, hasNote) = (nil, nil, false)
    guard let notes = folder.settings.notes else { return nil }
    let path = Path.join(notes, instance.description)
    let writable = try? File(path, [.read, .write, .noFollow, .nonBlocking])
    guard let open = try? writable ?? File(path, [.read, .noFollow, .nonBlocking]),
      let bytes = try? open.readAll(limit: 1 << 14), let note = WriterNote(bytes, of: instance)
    else { return nil }
    file = writable
    hasNote = true
    return note
  }

  private static func holds(_ path: String, _ instance: UUID) -> Bool {
    guard let other = try? SeaFolder(path: path) else { return false }
    defer { other.store.close() }
    return other.instance == instance
  }
}

/// The location where an instance last wrote, and its head at that time: a small file outside of `.sea`.
package struct WriterNote: Equatable {
  package var machine: String
  package var device: UInt64
  package var inode: UInt64
  package var path: String
  package var head: BlockRef

  private static let title = "sea copy guard 1\n"

  /// The offset of the head. The head has a fixed size and is in the first disk sector, so overwriting it leaves either
  /// the old or the new head. After it come machine, device and inode; the path is last because it may contain any
  /// character.
  private static let headPlace = title.utf8.count
  private static let headSize = 10 + 1 + 2 * Digest.size + 1

  /// - Returns: nil if the bytes are not a note of the instance.
  package init?(_ bytes: [UInt8], of instance: UUID) {
    func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
    let lines = bytes.split(separator: 0x0A, maxSplits: 5, omittingEmptySubsequences: false)
    guard lines.count == 6, lines[0].elementsEqual(WriterNote.title.utf8.dropLast()),
      lines[1].count == WriterNote.headSize - 1, lines[1].dropFirst(10).first == 0x20,
      let index = UInt32(text(lines[1].prefix(10))), let hex = Hex.bytes(lines[1].suffix(2 * Digest.size)),
      let digest = Digest(hex), let device = UInt64(text(lines[3])), let inode = UInt64(text(lines[4])),
      lines[5].last == 0x0A
    else { return nil }
    machine = text(lines[2])
    self.device = device
    self.inode = inode
    path = text(lines[5].dropLast())
    head = BlockRef(instance: instance, index: index, digest: digest)
  }

  package init(machine: String, device: UInt64, inode: UInt64, path: String, head: BlockRef) {
    self.machine = machine
    self.device = device
    self.inode = inode
    self.path = path
    self.head = head
  }

  private var headLine: String {
    let index = String(head.index)
    return String(repeating: "0", count: 10 - index.utf8.count) + index + " \(head.digest)\n"
  }

  package func write(in folder: String) throws(SystemError) -> File {
    let directory: Directory
    do throws(SystemError) { directory = try Directory(folder) } catch {
      guard error.isMissing else { throw error }
      try Path.createDirectories(folder, mode: 0o700)
      directory = try Directory(folder)
    }
    let name = head.instance.description
    let file = try directory.file(name + ".new", [.read, .write, .create, .truncate], mode: 0o600)
    try file.write(WriterNote.title + headLine + "\(machine)\n\(device)\n\(inode)\n\(path)\n")
    try directory.rename(name + ".new", to: name)
    return file
  }

  package func writeHead(over file: File) throws(SystemError) {
    try Array(headLine.utf8).withBytes { (bytes) throws(SystemError) in
      try file.write(bytes, at: Int64(WriterNote.headPlace))
    }
  }
}
