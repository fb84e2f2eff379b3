import CArchive

/// Writes a compressed tar of regular files through libarchive. The same calls always produce the same bytes: times,
/// owners and modes are fixed, and compression uses a single thread.
final class ArchiveOutput {
  private static let piece: Int32 = 1 << 20
  static let modified = 1_234_567_890

  private let archive: OpaquePointer
  private let entry: OpaquePointer
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  /// The error that the sink threw, stored here because libarchive does not keep it.
  private var failure: (any Error)?

  init(_ compression: BundleCompression, sink: @escaping (UnsafeRawBufferPointer) throws -> Void) throws {
    guard let archive = archive_write_new() else { throw BundleError.compression(.damaged) }
    guard let entry = archive_entry_new() else {
      archive_write_free(archive)
      throw BundleError.compression(.damaged)
    }
    self.archive = archive
    self.entry = entry
    self.sink = sink
    try check(archive_write_set_format_ustar(archive))
    switch compression {
    case .none: try check(archive_write_add_filter_none(archive))
    case .gzip:
      try check(archive_write_add_filter_gzip(archive))
      try check(archive_write_set_filter_option(archive, "gzip", "timestamp", nil))
    case .xz:
      try check(archive_write_add_filter_xz(archive))
      // At this level, the dictionary has 4 MiB. The default level 6 would need 94 MiB of memory.
      try check(archive_write_set_filter_option(archive, "xz", "compression-level", "4"))
    case .zstd: try check(archive_write_add_filter_zstd(archive))
    }
    try check(archive_write_set_bytes_per_block(archive, ArchiveOutput.piece))
    try check(archive_write_set_bytes_in_last_block(archive, 1))
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(
      archive_write_open(
        archive, context, nil,
        { _, context, bytes, count in
          Unmanaged<ArchiveOutput>.fromOpaque(context!).takeUnretainedValue()
            .write(UnsafeRawBufferPointer(start: bytes, count: count))
        }, nil))
  }

  deinit {
    // If the archive is unfinished, this call prevents libarchive from writing any more bytes to the sink.
    archive_write_fail(archive)
    archive_write_free(archive)
    archive_entry_free(entry)
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return -1 }
    do {
      try sink(bytes)
      return bytes.count
    } catch {
      failure = error
      return -1
    }
  }

  /// Treats any result except ARCHIVE_OK as fatal, including warnings.
  private func check(_ code: Int32) throws {
    if let failure { throw failure }
    guard code == ARCHIVE_OK else { throw BundleError.compression(.damaged) }
  }

  func begin(_ name: String, size: Int64) throws {
    archive_entry_clear(entry)
    archive_entry_set_pathname(entry, name)
    archive_entry_set_size(entry, size)
    archive_entry_set_filetype(entry, SEA_AE_IFREG)
    archive_entry_set_perm(entry, 0o644)
    archive_entry_set_mtime(entry, ArchiveOutput.modified, 0)
    try check(archive_write_header(archive, entry))
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while rest.count > 0 {
      let count = archive_write_data(archive, rest.baseAddress, rest.count)
      if let failure { throw failure }
      guard count > 0 else { throw BundleError.compression(.damaged) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// Ends the archive. Once this method returns, the sink has received all bytes.
  func finish() throws { try check(archive_write_close(archive)) }
}
