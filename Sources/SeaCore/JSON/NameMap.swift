/// New names of columns and JSON keys. An empty new name leaves a column or key out.
///
/// An old name can end with `*`, which stands for any end. In the new name, `*` stands for this end.
package struct NameMap: Sendable {
  private var exact: [[UInt8]: [UInt8]] = [:]
  private var patterns: [(prefix: [UInt8], before: [UInt8], after: [UInt8]?)] = []
  /// The old names that must exist.
  package private(set) var old: [String] = []

  package init() {}

  package var isEmpty: Bool { exact.isEmpty && patterns.isEmpty }

  /// Adds a rule. An exact name takes precedence over a pattern, and a later rule for the same name over an earlier rule.
  /// The first pattern that fits applies.
  /// - Parameter mustExist: whether a table without a column of this name is an error.
  package mutating func add(_ old: String, _ new: String, mustExist: Bool = true) {
    let (from, to) = (Array(old.utf8), Array(new.utf8))
    let star = to.firstIndex(of: 0x2A)
    guard from.last == 0x2A, to.isEmpty || star != nil else {
      exact[from] = to
      if mustExist { self.old.append(old) }
      return
    }
    patterns.append((from.dropLast(), Array(to[..<(star ?? 0)]), star.map { Array(to[($0 + 1)...]) }))
  }

  /// Returns the new name; nil if no rule applies.
  package func name(_ old: some Collection<UInt8>) -> [UInt8]? {
    if !exact.isEmpty, let new = exact[Array(old)] { return new }
    guard let rule = patterns.first(where: { old.starts(with: $0.prefix) }) else { return nil }
    return rule.after.map { rule.before + old.dropFirst(rule.prefix.count) + $0 } ?? []
  }

  package func name(_ old: String) -> String? { name(old.utf8).map { String(decoding: $0, as: UTF8.self) } }
}
