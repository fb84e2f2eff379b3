import SeaCore

/// A folder of small files in a container: slots for keys, requests to join, and hints of what the container has.
package enum SmallFolder: String, CaseIterable, Sendable {
  case keys, requests, heads

  /// Whether a file of this folder may have that name: a digest in `keys`, an instanceID elsewhere.
  package func allows(_ name: String) -> Bool {
    switch self {
    case .keys: Digest(hex: name) != nil
    case .requests, .heads: UUID(name) != nil
    }
  }

  /// A hint is about one container, and is written anew; all else is for every container, and stays as it is.
  package var isHint: Bool { self == .heads }

  /// The path from the container's top.
  package func path(of name: String) -> String { rawValue + "/" + name }
}

package enum SmallFile {
  /// A larger one is neither read nor written.
  package static let largest = 65536
  /// So many entries of a folder are looked at.
  package static let mostNames = 100_000

  /// Throws unless that may be written under the name.
  static func check(_ name: String, _ count: Int, in folder: SmallFolder) throws(ContainerError) {
    guard folder.allows(name) else { throw .badFile(.name, path: folder.path(of: name)) }
    guard count <= largest else { throw .badFile(.tooLarge, path: folder.path(of: name)) }
  }
}

/// The names of small files for which a placeholder of a cloud client stands.
package struct PromisedNames {
  /// Whether one stands for the folder.
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
