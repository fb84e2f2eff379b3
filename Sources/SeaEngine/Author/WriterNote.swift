import SeaCore
import SeaSystem

/// Where an instance was last seen writing, and how far it had come: a small file outside of `.sea`.
package struct WriterNote: Equatable {
  /// The id of the machine; empty if it has none.
  package var machine: String
  package var device: UInt64
  package var inode: UInt64
  /// The folder `.sea`.
  package var path: String
  package var head: BlockRef

  private static let title = "sea copy guard 1\n"

  /// The head has a fixed size and its place behind the title, within what a disk writes as one piece: to write a later
  /// head over it leaves the one or the other. Then the machine, the device, the inode and the path, which is last and
  /// may hold anything.
  private static let headPlace = title.utf8.count
  private static let headSize = 10 + 1 + 2 * Digest.size + 1

  /// - Returns: nil if the bytes are no such note.
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

  /// Writes the whole note under the name of its instance.
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

  /// Writes the head over the one in a file that has this note but for its head.
  package func writeHead(over file: File) throws(SystemError) {
    try Array(headLine.utf8).withBytes { (bytes) throws(SystemError) in
      try file.write(bytes, at: Int64(WriterNote.headPlace))
    }
  }
}
