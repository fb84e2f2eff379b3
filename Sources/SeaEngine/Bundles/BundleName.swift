import SeaContainer

/// The file name of a bundle in an exchange folder: `TAIL-LABEL-NNNN-full.sea.tar.zst`, or `-incr` instead of `-full`
/// for an increment. `TAIL` is the last part of the content type, and `LABEL` is the instance's name. No code depends
/// on these two parts.
package enum BundleName {
  private static let longestPart = 40

  /// - Parameter others: the names that already exist in the folder.
  package static func next(
    contentType: String, label: String, isFull: Bool, _ compression: BundleCompression, avoiding others: [String]
  ) -> String {
    let tail = contentType.split(separator: ".").last.map(String.init) ?? ""
    let start = "\(reduced(tail, or: "data"))-\(reduced(label, or: "sea"))-"
    let numbers = others.compactMap { name -> Int? in
      guard name.hasPrefix(start) else { return nil }
      let digits = name.utf8.dropFirst(start.utf8.count).prefix { (0x30...0x39).contains($0) }
      return digits.count > 18 ? nil : String(digits).flatMap { Int($0) }
    }
    // The next number may already be taken by another bundle.
    let used = Set(numbers)
    var next = (numbers.lazy.filter { $0 < 1_000_000_000 }.max() ?? 0) + 1
    while used.contains(next) { next += 1 }
    let digits = String(next)
    let number = String(repeating: "0", count: max(0, 4 - digits.utf8.count)) + digits
    return start + number + (isFull ? "-full" : "-incr") + ".sea" + compression.suffix
  }

  private static func reduced(_ text: String, or other: String) -> String {
    var result: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case 0x30...0x39, 0x61...0x7A: result.append(byte)
      case 0x41...0x5A: result.append(byte | 0x20)
      default: if result.last != 0x2D, !result.isEmpty { result.append(0x2D) }
      }
    }
    result = Array(result.prefix(longestPart))
    while result.last == 0x2D { result.removeLast() }
    return result.isEmpty ? other : String(decoding: result, as: UTF8.self)
  }
}
