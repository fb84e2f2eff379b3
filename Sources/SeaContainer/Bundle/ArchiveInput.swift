import CArchive

/// Decompresses through libarchive: one filter, which we chose, and no archive format.
final class ArchiveInput {
  private let archive: OpaquePointer
  private let more: () throws -> UnsafeRawBufferPointer
  /// What `more` threw: libarchive only hears that something did.
  private var failure: (any Error)?

  /// - Parameter more: the next compressed bytes, none at the end; they stay valid until the next call.
  init(_ compression: BundleCompression, more: @escaping () throws -> UnsafeRawBufferPointer) throws {
    guard let archive = archive_read_new() else { throw BundleError.compression(.damaged) }
    self.archive = archive
    self.more = more
    let code: Int32
    switch compression {
    case .none: code = ARCHIVE_FILTER_NONE
    case .gzip:
      code = ARCHIVE_FILTER_GZIP
      try check(archive_read_support_filter_gzip(archive))
    case .xz:
      code = ARCHIVE_FILTER_XZ
      try check(archive_read_support_filter_xz(archive))
    case .zstd:
      code = ARCHIVE_FILTER_ZSTD
      try check(archive_read_support_filter_zstd(archive))
    }
    try check(archive_read_support_format_raw(archive))
    let context = Unmanaged.passUnretained(self).toOpaque()
    try check(
      archive_read_open(
        archive, context, nil,
        { _, context, bytes in
          Unmanaged<ArchiveInput>.fromOpaque(context!).takeUnretainedValue().give(&bytes!.pointee)
        }, nil))
    guard archive_filter_count(archive) >= 2 else { throw BundleError.compression(.damaged) }
    // libarchive unwraps what is compressed several times as often as it can.
    guard archive_filter_count(archive) == 2, archive_filter_code(archive, 0) == code else {
      throw BundleError.compression(.feature)
    }
    var entry: OpaquePointer?
    try check(archive_read_next_header(archive, &entry))
  }

  deinit { archive_read_free(archive) }

  private func give(_ bytes: inout UnsafeRawPointer?) -> Int {
    guard failure == nil else { return -1 }
    do {
      let next = try more()
      bytes = next.baseAddress
      return next.count
    } catch {
      failure = error
      return -1
    }
  }

  /// Every answer but the good one is an end, warnings too: repeating what asks to be repeated may never end.
  private func check(_ code: Int32) throws {
    if let failure { throw failure }
    guard code == ARCHIVE_OK else { throw BundleError.compression(.damaged) }
  }

  /// Some of what is next; 0 at the end.
  func read(into buffer: UnsafeMutableRawBufferPointer) throws -> Int {
    // Where the input ends too early, what was asked for in that call is lost.
    let count = archive_read_data(archive, buffer.baseAddress, min(buffer.count, 1 << 16))
    if let failure { throw failure }
    guard count >= 0 else { throw BundleError.compression(.damaged) }
    return count
  }

  /// Whether the failure was that the input ended: gzip alone cannot be seen from outside to be cut.
  var wantedMore: Bool {
    guard let text = archive_error_string(archive) else { return false }
    return String(cString: text) == "truncated gzip input"
  }

  /// Compressed bytes that were used.
  var used: Int64 { archive_filter_bytes(archive, -1) }
}
