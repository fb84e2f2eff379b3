import SeaCore

/// Finds instances by their names or the beginnings of their IDs.
///
/// Anyone can take any name and, with some effort, create an ID with a chosen beginning. Therefore, a complete ID
/// matches only itself, and short IDs as displayed take precedence over names. Members take precedence over other
/// instances, and successors over their predecessors. If several instances still match, the text is ambiguous.
package struct InstanceNames {
  package struct One {
    let instance: UUID
    let name: String
    let isMember: Bool
    /// The line of identities, if another instance in it succeeds this one; otherwise nil.
    let left: UUID?
    let line: UUID?

    package init(instance: UUID, name: String, isMember: Bool, line: UUID? = nil, isFollowed: Bool = false) {
      self.instance = instance
      self.name = name
      self.isMember = isMember
      self.line = line
      left = isFollowed ? line : nil
    }
  }

  private static let leastPrefix = 4
  private static let shortID = 8

  var all: [One] = []

  package init(all: [One]) { self.all = all }

  /// - Parameter own: the instance to prefer if its name matches. After a renewal, other instances may have the same
  ///   name.
  /// - Throws: `instanceNotFound`, `ambiguousInstance`.
  package func instance(_ text: String, own: UUID? = nil) throws(KitError) -> UUID {
    let text = text.utf8.count == 36 ? text.lowercased() : text
    if let id = UUID(text) {
      guard all.contains(where: { $0.instance == id }) else { throw .instanceNotFound(text) }
      return id
    }
    let begun =
      text.utf8.count < InstanceNames.leastPrefix ? [] : all.filter { $0.instance.description.hasPrefix(text) }
    let named = text.isEmpty ? [] : all.filter { UTF8Text.equal($0.name, text) }
    if let own, named.contains(where: { $0.instance == own }) { return own }
    let isShortID = text.utf8.count >= InstanceNames.shortID && !begun.isEmpty
    var found = isShortID ? begun : begun + named
    if found.contains(where: \.isMember) { found.removeAll { !$0.isMember } }
    let going = Set(found.filter { $0.left == nil }.compactMap(\.line))
    found.removeAll { $0.left.map(going.contains) ?? false }
    let ids = Set(found.map(\.instance))
    guard let only = ids.first else { throw .instanceNotFound(text) }
    guard ids.count == 1 else { throw .ambiguousInstance(text, ids.sorted()) }
    return only
  }
}
