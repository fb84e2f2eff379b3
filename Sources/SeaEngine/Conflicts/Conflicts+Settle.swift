import SeaCore
import SeaStore

extension Conflicts {
  /// What a conflict comes to property by property: what merges alone, then what was picked, then what is preferred.
  /// - Parameters:
  ///   - conflict: as the same choices leave it.
  ///   - program: what a merge program, given by its name, makes of a place; nil if the clash stays.
  /// - Throws: `propertyNotFound` for a pick of what no side has, `revisionNotFound` for one of no leaf.
  package func settle(
    _ conflict: Conflict, _ choices: MergeChoices,
    program: (_ name: String, _ path: Conflict.Path) throws -> Value?? = { _, _ in nil }
  ) throws -> Settled {
    var settled = Settled(merging: conflict)
    if conflict.hasDeletion || conflict.hasPurged {
      guard let side = try preferred(conflict, choices.prefer) else {
        // Without a base there is nothing that changed.
        settled.open = conflict.paths.isEmpty ? [conflict.whole] : conflict.paths
        return settled
      }
      settled.how = .manual
      if side.leaf.kind != .put {
        settled.content = .deleted
        return settled
      }
      try conflict.requireContent(of: side)
    }
    let clashes = conflict.hasDeletion ? conflict.clashes.filter { $0.path.names.isEmpty } : conflict.clashes
    for path in clashes
    where !(try choose(choices.pick(path.path) ?? choices.prefer, path, conflict, &settled, program)) {
      settled.open.append(path)
    }
    for (path, choice) in choices.picks { try pick(path, choice, conflict, clashes, &settled, program) }
    return settled
  }

  /// A pick of what is no clash, or of a place around or within one.
  private func pick(
    _ path: PropertyPath, _ choice: MergeChoices.Choice, _ conflict: Conflict, _ clashes: [Conflict.Path],
    _ settled: inout Settled, _ program: (String, Conflict.Path) throws -> Value??
  ) throws {
    if clashes.contains(where: { $0.pointer == path.pointer }) { return }
    let values = conflict.sides.map { $0.content[path] }
    let base = conflict.base?.content[path]
    guard base != nil || values.contains(where: { $0 != nil }) else {
      throw KitError.propertyNotFound(id: conflict.id, path: path.description)
    }
    if case .policy = choice { return }
    let place = Conflict.Path(path: path, base: base, values: values, state: .clash, merged: settled.content[path])
    _ = try choose(choice, place, conflict, &settled, program)
  }

  /// - Returns: whether that decides it.
  private func choose(
    _ choice: MergeChoices.Choice?, _ path: Conflict.Path, _ conflict: Conflict, _ settled: inout Settled,
    _ program: (String, Conflict.Path) throws -> Value??
  ) throws -> Bool {
    let value: Value?
    switch choice {
    // The rules of the merge had it already.
    case nil, .policy?: return false
    case .base?: value = path.base
    case .revision(let text)?: value = try side(text, conflict).content[path.path]
    case .program(let name)?:
      guard let answer = try program(name, path) else { return false }
      settled.content = try settled.content.replacing(path.path, with: answer)
      settled.how = .program(name)
      return true
    }
    settled.content = try settled.content.replacing(path.path, with: value?.deciding(about: settled.content[path.path]))
    settled.how = .manual
    return true
  }

  /// The leaf that a text names: by its revision, or by the name of the instance that wrote it if that wrote no other.
  package func side(_ text: String, _ conflict: Conflict) throws -> Conflict.Side {
    if let side = try side(by: text, conflict) {
      try conflict.requireContent(of: side)
      return side
    }
    let wanted = try records.revision(text, of: conflict.row).revision
    guard let side = conflict.sides.first(where: { $0.leaf.revision == wanted }) else {
      throw KitError.revisionNotFound(id: conflict.id, revision: text)
    }
    try conflict.requireContent(of: side)
    return side
  }

  /// Nil if the text can be a revision, or is one of the words for a side.
  private func side(by name: String, _ conflict: Conflict) throws -> Conflict.Side? {
    if RevisionText.isRevision(name) || name.hasPrefix("~") || name == "base" || Policy(rawValue: name) != nil {
      return nil
    }
    let names = try conflict.sides.map { side in
      try side.author.flatMap { try store.branches.chain($0.instance)?.name } ?? ""
    }
    let found = conflict.sides.indices.filter { UTF8Text.equal(names[$0], name) }
    if found.count > 1 { throw KitError.ambiguousRevision(id: conflict.id, revision: name) }
    guard let found = found.first else {
      if let first = name.utf8.first, (0x30...0x39).contains(first) { return nil }
      let sides = zip(conflict.sides, names).map { NameFault.Side(revision: $0.leaf.revision, name: $1) }
      throw KitError.badName(.side(id: conflict.id, name, of: sides))
    }
    return conflict.sides[found]
  }

  /// The side that a choice stands for as a whole; nil if it stands for none.
  private func preferred(_ conflict: Conflict, _ choice: MergeChoices.Choice?) throws -> Conflict.Side? {
    switch choice {
    case .revision(let text)?: try side(text, conflict)
    case .policy(.newest)?:
      conflict.sides.max { ($0.author?.lamport ?? 0, $0.leaf.revision) < ($1.author?.lamport ?? 0, $1.leaf.revision) }
    default: nil
    }
  }
}

extension Conflict {
  fileprivate func requireContent(of side: Side) throws {
    if side.leaf.isPurged { throw KitError.contentPurged(id: id, side.leaf.revision) }
  }

  /// The record as one place.
  package var whole: Path {
    Path(path: PropertyPath(names: []), base: base?.body, values: sides.map(\.body), state: .clash, merged: merged.body)
  }
}
