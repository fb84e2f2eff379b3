import CArchive
import SeaSystem

/// The reason why a workbook cannot be read, as one line.
struct Refusal: Error {
  let reason: String

  init(_ reason: String) { self.reason = reason }
}

/// The parts of a workbook, which are the files in a ZIP archive.
final class Archive {
  private static let mostParts = 10_000
  /// libarchive keeps the directory of the archive in memory.
  private static let largestDirectory: Int64 = 4 << 20
  /// The number of bytes at the end of the file in which libarchive looks for the directory.
  private static let tail: Int64 = 1 << 14
  private static let piece = 1 << 18
  /// A part can be this many times as large as the file, with some allowance for small files.
  private static let mostRatio: Int64 = 200
  private static let allowance: Int64 = 16 << 20
  private static let largestPart: Int64 = 4 << 30

  private let file: File
  private let before: FileStatus
  private let largest: Int64

  init(_ path: String) throws {
    file = try File(path, [.read, .nonBlocking])
    before = try file.status()
    guard before.kind == .file else { throw Refusal("not a regular file") }
    largest = min(Archive.largestPart, Archive.allowance + Archive.mostRatio * before.size)
    try checkDirectory()
  }

  private func checkDirectory() throws {
    let beginning = try bytes(at: 0, 8)
    if beginning.starts(with: [0xD0, 0xCF, 0x11, 0xE0]) {
      throw Refusal("an .xls file, or a workbook with a password; save it as .xlsx without a password, or as CSV")
    }
    let start = max(0, before.size - Archive.tail)
    let end = try bytes(at: start, Int(before.size - start))
    let mark: [UInt8] = [0x50, 0x4B, 5, 6]
    guard beginning.starts(with: mark.prefix(2)),
      let place = end.indices.dropLast(21).last(where: { end[$0...].starts(with: mark) })
    else { throw Refusal("not an .xlsx workbook, or an incomplete one; save the table as .xlsx or CSV") }
    // Archives of more than 4 GiB, and those of some programs, have the place of the directory in another record, too.
    let (last, size) = (start + Int64(place), Archive.number(end, place + 12, 4))
    var places = size + Archive.number(end, place + 16, 4) <= last ? [last - size] : []
    if place >= 20, end[(place - 20)...].starts(with: [0x50, 0x4B, 6, 7]) {
      places.append(Archive.number(try bytes(at: Archive.number(end, place - 12, 8), 56), 48, 8))
    }
    guard !places.isEmpty, places.allSatisfy({ (max(0, last - Archive.largestDirectory)...last).contains($0) }) else {
      throw Refusal("the directory of the ZIP archive is damaged or too large")
    }
  }

  /// Returns fewer bytes at the end of the file.
  private func bytes(at offset: Int64, _ count: Int) throws -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    guard offset >= 0, offset < before.size else { return [] }
    let have = try bytes.withUnsafeMutableBytes { try file.read(into: $0, at: offset) }
    return Array(bytes.prefix(have))
  }

  /// Returns a little-endian number; -1 if it is out of range.
  private static func number(_ bytes: [UInt8], _ offset: Int, _ count: Int) -> Int64 {
    guard offset + count <= bytes.count else { return -1 }
    let value = bytes[offset..<offset + count].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return Int64(exactly: value) ?? -1
  }

  /// Passes the content of a part to `body`. Returns false if there is no such part.
  func read(_ part: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws -> Bool {
    guard let archive = archive_read_new() else { throw Refusal("not enough memory") }
    defer { archive_read_free(archive) }
    try file.seek(to: 0)
    guard archive_read_support_format_zip_seekable(archive) == ARCHIVE_OK,
      archive_read_open_fd(archive, file.descriptor, Archive.piece) == ARCHIVE_OK
    else { throw damaged(archive) }
    var entry: OpaquePointer?
    for _ in 0..<Archive.mostParts {
      let code = archive_read_next_header(archive, &entry)
      if code == ARCHIVE_EOF { return false }
      // A warning concerns the name or the time of the part.
      guard code == ARCHIVE_OK || code == ARCHIVE_WARN else { throw damaged(archive) }
      guard let name = archive_entry_pathname(entry), Archive.isSame(String(cString: name), part) else { continue }
      try content(archive, part, body)
      guard try file.status().isUnchanged(since: before) else {
        throw Refusal("the file was changed while it was read")
      }
      return true
    }
    throw Refusal("the ZIP archive has more than \(Archive.mostParts) files")
  }

  private func content(
    _ archive: OpaquePointer, _ part: String, _ body: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var left = largest
    while true {
      var bytes: UnsafeRawPointer?
      var (count, offset) = (0, Int64(0))
      let code = archive_read_data_block(archive, &bytes, &count, &offset)
      if code == ARCHIVE_EOF { return }
      // A wrong checksum is only a warning of libarchive.
      guard code == ARCHIVE_OK else { throw damaged(archive) }
      left -= Int64(count)
      guard left >= 0 else { throw Refusal("\(part) is much larger than the file, or larger than 4 GiB") }
      try body(UnsafeRawBufferPointer(start: bytes, count: count))
    }
  }

  private func damaged(_ archive: OpaquePointer) -> Refusal {
    let reason = archive_error_string(archive).map { String(cString: $0) } ?? "not a ZIP archive"
    return Refusal("the file is damaged: \(reason)")
  }

  /// Whether a file of the archive is this part. Some programs write backslashes, and names may differ in case.
  private static func isSame(_ name: String, _ part: String) -> Bool {
    name.utf8.count == part.utf8.count
      && zip(name.utf8, part.utf8).allSatisfy { $0 == $1 || lower($0) == lower($1) || $0 == 0x5C && $1 == 0x2F }
  }

  private static func lower(_ byte: UInt8) -> UInt8 { (0x41...0x5A).contains(byte) ? byte | 0x20 : byte }
}
