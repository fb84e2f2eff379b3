/// A number of things in words: `1 block`, `3 blocks`.
package struct Count: CustomStringConvertible {
  package let description: String

  /// - Parameter zero: the text for 0.
  package init(_ number: Int, _ noun: String, zero: String = "0") {
    description = "\(number == 0 ? zero : String(number)) \(noun)\(number == 1 ? "" : "s")"
  }
}
