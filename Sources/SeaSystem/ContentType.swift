import CMagic

/// What kind of content bytes are, by the system's database of magic numbers.
package enum ContentType {
  /// What nobody knows more of.
  package static let unknown = "application/octet-stream"
  /// So much of the beginning is looked at.
  package static let beginning = 65_536

  /// The MIME type of content that begins so; `unknown` if the system has no database or finds nothing.
  package static func of(_ bytes: UnsafeRawBufferPointer) -> String {
    // Nothing is unpacked to look inside: what is compressed is called so.
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
