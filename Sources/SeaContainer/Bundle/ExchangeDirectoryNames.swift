import SeaCore

/// The names that are used in an exchange directory.
package enum ExchangeDirectoryNames {
  /// The folder with the heads that each instance knows, in one file per instance.
  package static let headsFolder = "heads"
  package static let headsSuffix = ".json"
  /// The maximum size of a heads file in bytes. Larger files are not read.
  package static let largestHeads = 16 << 20

  package static func isBundle(_ name: String) -> Bool {
    BundleCompression.allCases.contains { name.hasSuffix(".sea" + $0.suffix) } && !name.hasPrefix(".")
  }

  package static func isOfBundle(_ path: String) -> Bool {
    !path.contains("/") && isBundle(BundleVolumes.parts(path)?.base ?? path)
  }

  package static func isAny(_ path: String) -> Bool { isOfBundle(path) || isOfHeads(path) }

  package static func isOfHeads(_ path: String) -> Bool {
    let folder = headsFolder + "/"
    guard path.hasPrefix(folder), path.hasSuffix(headsSuffix) else { return false }
    return UUID(String(path.dropFirst(folder.utf8.count).dropLast(headsSuffix.utf8.count))) != nil
  }
}
