import CMagic

/// Determines content types with the system's database of magic numbers.
package enum ContentType {
  package static let unknown = "application/octet-stream"
  package static let beginning = 65_536

  /// Returns the MIME type of content that begins with the given bytes; `unknown` if there is no database or no match.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> String {
    // Compressed content is not unpacked, so it keeps the type of its compression format.
    guard let cookie = magic_open(MAGIC_MIME_TYPE | MAGIC_NO_CHECK_COMPRESS | MAGIC_ERROR) else { return unknown }
    defer { magic_close(cookie) }
    guard magic_load(cookie, nil) == 0,
      let found = magic_buffer(
        cookie, bytes.baseAddress ?? UnsafeRawPointer(bitPattern: 1), min(bytes.count, beginning))
    else { return unknown }
    let text = String(cString: found)
    let isType =
      text.utf8.count <= 255 && text.utf8.contains(0x2F) && text.utf8.allSatisfy { (0x21...0x7E).contains($0) }
    return isType ? text : unknown
  }
}
