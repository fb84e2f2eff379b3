extension ControlEntry {
  /// Reads one entry that was written by `write`.
  package init?(stored bytes: [UInt8]) {
    let read = bytes.withUnsafeBufferPointer { bytes -> ControlEntry? in
      var cursor = CBORCursor(bytes)
      guard let head = try? cursor.head(), head.major == 5, head.value >= 1, head.value <= 16 else { return nil }
      guard let entry = try? ControlEntry(&cursor, pairs: Int(head.value)), cursor.atEnd else { return nil }
      return entry
    }
    guard let read else { return nil }
    self = read
  }
}

extension ControlEntry {
  /// Whether a reader takes it: all limits of the format hold.
  package var isReadable: Bool {
    var writer = ByteWriter()
    write(into: &writer)
    return ControlEntry(stored: Array(writer.bytes)) != nil
  }
}
