import CArchive

/// Writes a tar of regular files, compressed as a whole, through libarchive. The same calls give the same bytes: there
/// are no times, owners or modes in it but fixed ones, and one thread compresses.
final class ArchiveOutput {
  /// What is handed to the sink at a time.
  private static let piece: Int32 = 1 << 20
  static let modified = 1_234_567_890

  private let archive: OpaquePointer
  private let entry: OpaquePointer
  private let sink: (UnsafeRawBufferPointer) throws -> Void
  /// What the sink threw: libarchive only hears that something did.
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
      // A dictionary of 4 MiB: level 6, the default, would take 94 MiB of memory.
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
            .take(UnsafeRawBufferPointer(start: bytes, count: count))
        }, nil))
  }

  deinit {
    // Given up, unless it was finished: nothing more reaches the sink.
    archive_write_fail(archive)
    archive_write_free(archive)
    archive_entry_free(entry)
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Int {
    guard failure == nil else { return -1 }
    do {
      try sink(bytes)
      return bytes.count
    } catch {
      failure = error
      return -1
    }
  }

  /// Every answer but the good one is an end, warnings too.
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

  /// Content of the member that was begun. There must not be more of it than its size.
  func write(_ bytes: UnsafeRawBufferPointer) throws {
    var rest = bytes
    while rest.count > 0 {
      let count = archive_write_data(archive, rest.baseAddress, rest.count)
      if let failure { throw failure }
      guard count > 0 else { throw BundleError.compression(.damaged) }
      rest = UnsafeRawBufferPointer(rebasing: rest[count...])
    }
  }

  /// The end of the archive; everything has reached the sink when this returns.
  func finish() throws { try check(archive_write_close(archive)) }
}
