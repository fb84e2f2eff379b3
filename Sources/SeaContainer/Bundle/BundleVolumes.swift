import SeaSystem

/// The file names of a bundle that is split into volumes: `NAME.001`, `NAME.002`, and so on.
package enum BundleVolumes {
  package static func name(_ base: String, _ number: Int) -> String {
    let digits = String(number)
    return base + "." + String(repeating: "0", count: max(0, 3 - digits.count)) + digits
  }

  package static func parts(_ name: String) -> (base: String, number: Int)? {
    guard let dot = name.utf8.lastIndex(of: UInt8(ascii: ".")), dot != name.utf8.startIndex else { return nil }
    let digits = name.utf8[name.utf8.index(after: dot)...]
    guard (3...6).contains(digits.count), digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
    guard let number = Int(String(digits) ?? ""), number > 0, let base = String(name.utf8[..<dot]) else { return nil }
    return self.name(base, number) == name ? (base, number) : nil
  }

  static func numbers(of base: String, in folder: Directory) throws(SystemError) -> [Int] {
    var found: [Int] = []
    for entry in try folder.list().entries where entry.kind != .directory {
      if let parts = parts(entry.name), parts.base == base { found.append(parts.number) }
    }
    return found.sorted()
  }

  /// Returns the paths of a bundle's files, in order.
  /// - Throws: `missingVolume` if there is a gap. Missing volumes at the end are not detected, because their number is
  ///   unknown.
  package static func paths(of path: String) throws(BundleError) -> (paths: [String], areVolumes: Bool) {
    try bundleSystem { () throws(SystemError) -> Result<(paths: [String], areVolumes: Bool), BundleError> in
      let exists = try Path.statusFollowing(path) != nil
      let name = Path.name(path)
      let folder = Path.parent(path)
      var base = name
      if let parts = parts(name) {
        let first = try Path.statusFollowing(Path.join(folder, self.name(parts.base, 1)))
        if parts.number == 1 || first != nil { base = parts.base }
      }
      if base == name, exists { return .success(([path], false)) }
      let there = try Path.statusFollowing(folder)?.kind == .directory
      var numbers: [Int] = []
      if there { numbers = try self.numbers(of: base, in: try Directory(folder)) }
      guard let last = numbers.last else {
        throw SystemError(call: "open", errno: SystemError.missing, path: path)
      }
      for number in 1...last where numbers[number - 1] != number {
        return .failure(BundleError.missingVolume(self.name(base, number)))
      }
      return .success((numbers.map { Path.join(folder, self.name(base, $0)) }, true))
    }.get()
  }
}
