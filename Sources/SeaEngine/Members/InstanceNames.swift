import SeaCore

/// Which instance a person means by a name or the beginning of an id.
///
/// Anybody can take any name, and with some work an id that begins as another's does. So a whole id means just that one, the short
/// id that is shown goes before names, a member before those who are none, of a line of keys the one that goes on, and what then still
/// means several means nobody.
package struct InstanceNames {
  package struct One {
    let instance: UUID
    let name: String
    let isMember: Bool
    /// The line in which another one goes on in its place; nil if none does.
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

  /// What an id that is cut short has at least.
  private static let leastPrefix = 4
  /// What of an id is shown.
  private static let shortID = 8

  var all: [One] = []

  package init(all: [One]) { self.all = all }

  /// - Parameter own: the one that is meant where it has the name that others have too, as after a renewal.
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
