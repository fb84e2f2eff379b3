import SeaContainer

extension UnknownFile {
  /// A value that identifies a version of the file by path, size and modification time.
  var mark: UInt64 { mark(with: 0) }

  /// Like `mark`, but also includes the time of the last metadata change.
  var closeMark: UInt64 { mark(with: changed) }

  private func mark(with changed: Int64) -> UInt64 {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    for byte in path.utf8 { add(byte) }
    for shift in stride(from: 0, to: 64, by: 8) {
      add(UInt8(truncatingIfNeeded: size >> Int64(shift)))
      add(UInt8(truncatingIfNeeded: modified >> Int64(shift)))
      if changed != 0 { add(UInt8(truncatingIfNeeded: changed >> Int64(shift))) }
    }
    return hash
  }
}
