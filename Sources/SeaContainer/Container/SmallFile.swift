import SeaCore

/// A folder of small files in a container: key slots, access requests, and summary files.
package enum SmallFolder: String, CaseIterable, Sendable {
  case keys, requests, heads

  /// Whether the folder allows a name: a digest in `keys`, an instanceID elsewhere.
  package func allows(_ name: String) -> Bool {
    switch self {
    case .keys: Digest(hex: name) != nil
    case .requests, .heads: UUID(name) != nil
    }
  }

  /// Summary files describe one container and change; other small files are the same everywhere and never change.
  package var isHint: Bool { self == .heads }

  /// The path from the top of the container.
  package func path(of name: String) -> String { rawValue + "/" + name }
}

package enum SmallFile {
  /// A larger file is neither read nor written.
  package static let largest = 65536
  /// The limit of entries read from a folder.
  package static let mostNames = 100_000

  /// Throws if the name or the size is not allowed.
  static func check(_ name: String, _ count: Int, in folder: SmallFolder) throws(ContainerError) {
    guard folder.allows(name) else { throw .badFile(.name, path: folder.path(of: name)) }
    guard count <= largest else { throw .badFile(.tooLarge, path: folder.path(of: name)) }
  }
}

/// The names of small files that have a placeholder of a cloud client.
package struct PromisedNames {
  /// Whether the whole folder has a placeholder.
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
