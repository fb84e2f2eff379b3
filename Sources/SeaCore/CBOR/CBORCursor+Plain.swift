extension CBORCursor {
  /// Texts ascend by their encodings: shorter ones first, then by their bytes.
  mutating func follows(
    _ last: inout UnsafeBufferPointer<UInt8>?, _ text: UnsafeBufferPointer<UInt8>
  ) throws(CoreError) {
    if let last {
      guard last.count != text.count ? last.count < text.count : UTF8Text.compare(last, text) < 0 else {
        throw fail(.wrongOrder)
      }
    }
    last = text
  }

  /// Passes over one item that nobody here knows the meaning of: plain structure, at most 8 levels deep.
  mutating func skipPlain(_ level: Int = 0) throws(CoreError) {
    guard level < 8 else { throw fail(.tooDeep) }
    let head = try head()
    switch head.major {
    case 0, 1: return
    case 2: _ = try run(head.value)
    case 3: guard UTF8Text.isValid(try run(head.value)) else { throw fail(.notUTF8) }
    case 4, 5:
      guard head.value <= UInt64(end - offset) else { throw fail(.truncated) }
      for _ in 0..<head.value * UInt64(head.major - 3) { try skipPlain(level + 1) }
    case 7 where head.info >= 20 && head.info <= 22: return
    default: throw fail(.unexpectedType)
    }
  }
}
