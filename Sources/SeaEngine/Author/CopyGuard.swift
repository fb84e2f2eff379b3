import SeaCore
import SeaStore
import SeaSystem

/// Finds out, before this instance writes, that it is a copy or a restored backup: by a note outside of `.sea`, which a
/// copy or a backup of `.sea` does not take along.
///
/// The note is a hint: it may be missing, and one that cannot be read or written is as good as none. It is written after
/// the block that it names is durable, so that it never names one that is lost, and under the writer lock. It is not made
/// durable: what a loss of power takes back makes it older, and an older one asks for less.
package final class CopyGuard {
  private let folder: SeaFolder
  /// The machine that this is.
  private(set) lazy var machine = folder.settings.machine()
  /// The note as it stands in its file, if that is open and says where we are.
  private var note: WriterNote?
  private var file: File?

  package init(_ folder: SeaFolder) { self.folder = folder }

  /// The folder of the notes, outside of any database; nil where a user has none.
  package static func folder(_ variable: (String) -> String?) -> String? {
    func absolute(_ name: String) -> String? { variable(name).flatMap { $0.hasPrefix("/") ? $0 : nil } }
    let state = absolute("XDG_STATE_HOME") ?? absolute("HOME").map { Path.join($0, ".local/state") }
    return state.map { Path.join($0, "sea/guards") }
  }

  /// What speaks against going on in the chain that ends with `head`. The writer lock is held.
  package func doubt(_ head: BlockRef?) throws -> Renewal.Reason? {
    if let machine, try folder.store.metaText("machine") == nil {
      try folder.store.write { try folder.store.setMeta("machine", .text(machine)) }
    }
    return try suspicion(head)
  }

  /// Whether there is a note by which a copy on this machine can be told.
  private(set) var hasNote = false

  /// The same for who only looks: nothing is written.
  func suspicion(_ head: BlockRef?) throws -> Renewal.Reason? {
    // A database on the share of a server is used from several machines, one at a time.
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

  /// Writes down where this instance writes, and how far it has come. The writer lock is held.
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
      // Nobody's data depends on it.
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

  /// Whether another `.sea` goes by the same name.
  private static func holds(_ path: String, _ instance: UUID) -> Bool {
    guard let other = try? SeaFolder(path: path) else { return false }
    defer { other.store.close() }
    return other.instance == instance
  }
}
