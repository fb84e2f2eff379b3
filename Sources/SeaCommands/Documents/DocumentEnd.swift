/// Finds where a document may end: where as many brackets are closed as were opened, outside of strings.
struct DocumentEnd {
  private(set) var isReached = false
  private var depth = 0
  private var inString = false
  private var escaped = false

  mutating func pass(_ bytes: UnsafeBufferPointer<UInt8>) {
    for byte in bytes {
      if inString {
        if escaped {
          escaped = false
        } else if byte == 0x5C {
          escaped = true
        } else if byte == 0x22 {
          inString = false
        }
        continue
      }
      switch byte {
      case 0x22: inString = true
      case 0x7B, 0x5B: depth += 1
      case 0x7D, 0x5D:
        depth -= 1
        if depth <= 0 {
          isReached = true
          return
        }
      default: break
      }
    }
  }
}
