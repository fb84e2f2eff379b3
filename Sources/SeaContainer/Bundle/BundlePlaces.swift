import SeaCore

/// The names in a folder through which instances hand each other bundles.
package enum BundlePlaces {
  /// What instances say to have: a file for each.
  package static let headsFolder = "heads"
  package static let headsSuffix = ".json"
  /// A larger one is not read.
  package static let largestHeads = 16 << 20

  /// Whether a name is that of a bundle.
  package static func isBundle(_ name: String) -> Bool {
    BundleCompression.allCases.contains { name.hasSuffix(".sea" + $0.suffix) } && !name.hasPrefix(".")
  }

  /// Whether a path is that of a bundle, or of a volume of one.
  package static func isOfBundle(_ path: String) -> Bool {
    !path.contains("/") && isBundle(BundleVolumes.parts(path)?.base ?? path)
  }

  /// Whether a path is that of either.
  package static func isAny(_ path: String) -> Bool { isOfBundle(path) || isOfHeads(path) }

  /// Whether a path is that of what an instance says to have.
  package static func isOfHeads(_ path: String) -> Bool {
    let folder = headsFolder + "/"
    guard path.hasPrefix(folder), path.hasSuffix(headsSuffix) else { return false }
    return UUID(String(path.dropFirst(folder.utf8.count).dropLast(headsSuffix.utf8.count))) != nil
  }
}
