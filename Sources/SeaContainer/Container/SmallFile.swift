import SeaCore

/// A folder of small files in a container: key slots, access requests, or summary files.
package enum SmallFolder: String, CaseIterable, Sendable {
  case keys, requests, heads

  /// Whether the folder allows a name, which must be a digest in `keys` and an instanceID in the other folders.
  package func allows(_ name: String) -> Bool {
    switch self {
    case .keys: Digest(hex: name) != nil
    case .requests, .heads: UUID(name) != nil
    }
  }

  /// Whether the files are summary files, which describe a single container and change. Other small files are the same
  /// in all containers and never change.
  package var isHint: Bool { self == .heads }

  package func path(of name: String) -> String { rawValue + "/" + name }
}

package enum SmallFile {
  /// The maximum size in bytes. Larger files are neither read nor written.
  package static let largest = 65536
  package static let mostNames = 100_000

  static func check(_ name: String, _ count: Int, in folder: SmallFolder) throws(ContainerError) {
    guard folder.allows(name) else { throw .badFile(.name, path: folder.path(of: name)) }
    guard count <= largest else { throw .badFile(.tooLarge, path: folder.path(of: name)) }
  }
}

/// The names of the small files for which a cloud client has left placeholders.
package struct PromisedNames {
  fileprivate(set) var isAll = false
  fileprivate(set) var names: Set<String> = []

  package func contains(_ name: String) -> Bool { isAll || names.contains(name) }
  package var isEmpty: Bool { !isAll && names.isEmpty }
}

extension Container {
  package func promised(in small: SmallFolder) throws(ContainerError) -> PromisedNames {
    let folder = small.rawValue + "/"
    var promised = PromisedNames()
    for stray in try strays() {
      if Layout.promised(by: stray.path) == small.rawValue { promised.isAll = true }
      guard stray.path.hasPrefix(folder) else { continue }
      let name = Layout.promised(by: String(stray.path.dropFirst(folder.utf8.count)))
      if let name, small.allows(name) { promised.names.insert(name) }
    }
    return promised
  }
}
