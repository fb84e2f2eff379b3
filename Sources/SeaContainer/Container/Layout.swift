import SeaSystem

/// The names in a container according to sea-format(5), without any I/O.
///
/// The path of an index consists of its number of base-1000 digits, followed by the digits themselves. For example, 0
/// is `1/0` and 1003 is `2/1/3`. Therefore, no folder has more than 1000 entries, and adding an index never moves
/// existing ones.
package enum Layout {
  package static let info = "info.json"
  package static let transactions = "transactions"
  package static let assets = "assets"
  package static let kept: Set<String> = [info, transactions, assets, "keys", "requests", "heads"]
  package static let foldedSuffix = ".blocks"
  package static let leafSize: UInt32 = 1000
  /// The maximum size of a file, which is the limit of FAT.
  package static let largestFile = (1 << 32) - 2
  package static let largestFold: Int64 = 1 << 28

  /// Returns the path components of an index, which are the number of digits and then the digits.
  package static func components(of index: UInt32) -> [String] {
    var digits: [String] = []
    var rest = index
    repeat {
      digits.append(String(rest % 1000))
      rest /= 1000
    } while rest > 0
    digits.append(String(digits.count))
    return digits.reversed()
  }

  package static func path(of index: UInt32) -> String { components(of: index).joined(separator: "/") }

  package static func index(ofPath path: some StringProtocol) -> UInt32? {
    var (folder, value, digits) = (nil as Folder?, 0, 0)
    func next() -> Folder? { folder.map { $0.entry(value) } ?? Folder(digits: value) }
    for byte in path.utf8 {
      switch byte {
      case 0x30...0x39 where digits == 0 || digits < 3 && value > 0:
        (value, digits) = (value * 10 + Int(byte - 0x30), digits + 1)
      case 0x2F where digits > 0:
        guard let entered = next() else { return nil }
        (folder, value, digits) = (entered, 0, 0)
      default: return nil
      }
    }
    return digits > 0 && folder != nil ? next()?.index : nil
  }

  package static func folder(ofPath path: String) -> Folder? {
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    var folder = parts.first.flatMap { digit($0) }.flatMap { Folder(digits: $0) }
    for part in parts.dropFirst() { folder = digit(part).flatMap { folder?.entry($0) } }
    return folder?.index == nil ? folder : nil
  }

  /// Parses a number from 0 to 999 without leading zeros.
  package static func digit(_ text: some StringProtocol) -> Int? {
    let bytes = text.utf8
    guard (1...3).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard bytes.count == 1 || bytes.first != 0x30 else { return nil }
    return bytes.reduce(0) { $0 * 10 + Int($1 - 0x30) }
  }

  package static func foldedDigit(_ text: String) -> Int? {
    guard text.hasSuffix(foldedSuffix) else { return nil }
    return digit(text.dropLast(foldedSuffix.count))
  }

  /// The age in milliseconds at which a temporary file counts as abandoned.
  package static let oldTemporary: Int64 = 3_600_000

  package static func isTemporary(_ name: String) -> Bool { AtomicFile.isTemporary(name) }

  /// A folder in the tree of digits within the folder of a chain.
  package struct Folder: Equatable, Sendable {
    package let digits: Int
    /// The number of leading digits that the folder's path determines.
    package private(set) var depth: Int
    private var value: UInt64

    /// Creates the folder for the indices that have this number of digits, from 1 to 4.
    package init?(digits: Int) {
      guard (1...4).contains(digits) else { return nil }
      self.digits = digits
      depth = 0
      value = 0
    }

    /// Returns the entry for the next digit; nil if no index in this folder has that digit.
    package func entry(_ digit: Int) -> Folder? {
      guard depth < digits, (0...999).contains(digit), digit > 0 || depth > 0 || digits == 1 else { return nil }
      var result = self
      result.depth += 1
      result.value = value * 1000 + UInt64(digit)
      return result.first <= UInt64(UInt32.max) ? result : nil
    }

    package var first: UInt64 {
      var value = value
      for _ in depth..<digits { value *= 1000 }
      return value
    }

    package var range: ClosedRange<UInt32> {
      var (first, last) = (self.first, value)
      for _ in depth..<digits { last = last * 1000 + 999 }
      // Smaller indices have fewer digits and are in another folder.
      if depth == 0, digits > 1 { first = (1..<digits).reduce(1) { power, _ in power * 1000 } }
      return UInt32(first)...UInt32(min(last, UInt64(UInt32.max)))
    }

    package var isLeaf: Bool { depth == digits - 1 }

    package var index: UInt32? { depth == digits ? UInt32(exactly: value) : nil }
  }

  /// The folder of 1000 neighboring blocks, or its pack file.
  package struct Leaf: Hashable, Comparable, Sendable {
    /// The first index, a multiple of 1000.
    package let first: UInt32

    package init(containing index: UInt32) { first = index - index % Layout.leafSize }

    package var last: UInt32 { first.addingReportingOverflow(Layout.leafSize - 1).overflow ? .max : first + 999 }

    package var next: Leaf? { last == .max ? nil : Leaf(containing: last + 1) }

    /// The path components of the parent folder, relative to the folder of the chain.
    package var parent: [String] { Layout.components(of: first).dropLast(2) }

    package var name: String { Layout.components(of: first).dropLast().last ?? "" }
    package var foldedName: String { name + Layout.foldedSuffix }
    package var path: String { (parent + [name]).joined(separator: "/") }
    package var foldedPath: String { path + Layout.foldedSuffix }

    package func name(of index: UInt32) -> String { String(index - first) }

    package static func < (x: Leaf, y: Leaf) -> Bool { x.first < y.first }
  }
}
