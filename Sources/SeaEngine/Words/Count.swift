package struct Count: CustomStringConvertible {
  package let description: String

  package init(_ number: Int, _ noun: String, zero: String = "0") {
    description = "\(number == 0 ? zero : String(number)) \(noun)\(number == 1 ? "" : "s")"
  }
}
