/// Walks along a compressed stream without decompressing it: before libarchive sees a byte, this has seen that it is
/// one stream with the features that bundles use, that decompressing takes little memory, and where it ends. libarchive
/// looks at none of that.
protocol CompressionScreen {
  /// Takes the next bytes.
  /// - Throws: `trailing` for bytes behind the end, `tooLarge`, `compression`.
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(BundleError)

  /// The stream has come to its end.
  var isWhole: Bool { get }
}

/// One that looks at a stream in steps, up to its end.
protocol SteppedScreen: CompressionScreen {
  var steps: ScreenSteps { get set }
  /// Looks at what was collected, and says what is collected next.
  mutating func step() throws(BundleError)
}

extension SteppedScreen {
  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    var position = 0
    while true {
      if isWhole {
        guard position == bytes.count else { throw .trailing }
        return
      }
      guard steps.take(bytes, &position) else { return }
      try step()
    }
  }
}

/// The most memory for which a bundle may ask: a window, or a dictionary.
let largestWindow: Int64 = 64 << 20

/// Collects bytes that are looked at, and counts those that are not.
struct ScreenSteps {
  private(set) var collected: [UInt8] = []
  private var wanted: Int
  private var skipping: Int64 = 0

  init(wanting count: Int) { wanted = count }

  /// The next step: `skip` bytes are passed over, then `count` bytes are collected.
  mutating func next(skip: Int64 = 0, collect count: Int) {
    skipping = skip
    wanted = count
    collected.removeAll(keepingCapacity: true)
  }

  /// More bytes behind those collected so far.
  mutating func more(_ count: Int) { wanted += count }

  /// Uses bytes from `position` on; true when the step is complete.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ position: inout Int) -> Bool {
    let passed = Int(min(skipping, Int64(bytes.count - position)))
    position += passed
    skipping -= Int64(passed)
    guard skipping == 0 else { return false }
    let count = min(wanted - collected.count, bytes.count - position)
    collected.append(contentsOf: bytes[position..<position + count])
    position += count
    return collected.count == wanted
  }
}
