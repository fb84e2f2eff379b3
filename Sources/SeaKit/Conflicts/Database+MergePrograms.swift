import SeaCore
import SeaStore

/// Lets a merge program of the user's settle places of a record that clash.
/// - Parameters:
///   - name: of the program, from the settings.
///   - conflict: the record as the settings leave it.
///   - content: what all of it comes to so far.
///   - paths: the places that the program is for.
/// - Returns: the content with these places settled; nil if the clash stays.
package typealias MergeProgramCall = (
  _ name: String, _ conflict: Conflict, _ content: Content, _ paths: [Conflict.Path]
) throws -> Content?

extension Database {
  /// Runs merge programs where `merge.auto` is `drivers`: for the records in conflict that do not merge without, each of
  /// whose clashes has a program, as far as anything about them is new. Others can write while a program runs; a record
  /// that was changed meanwhile waits for the next time.
  func mergeWithPrograms() throws -> [Merged] {
    guard let run = settings.mergeProgram, try mayMerge() else { return [] }
    let rules = try mergeSettings()
    guard rules.automatic == .drivers else { return [] }
    let (rows, last) = try store.snapshot { () -> ([RecordRow], Int64) in
      let isNew = try store.metaBlob(Database.programSettings) != rules.digest.bytes
      let since = try isNew ? 0 : store.metaInt(Database.programsUpTo) ?? 0
      return (try store.records.contested(since: since), try store.blocks.lastSequence())
    }
    var made: [(id: String, settled: Settled)] = []
    for row in rows {
      guard let conflict = try clashing(row.id, rules) else { continue }
      if let settled = try settled(conflict, rules, run) { made.append((row.id, settled)) }
    }
    if rows.isEmpty { return [] }
    defer { store.unlock() }
    return try writing {
      try store.setMeta(Database.programSettings, .blob(rules.digest.bytes))
      try store.setMeta(Database.programsUpTo, .int(last))
      return try end(made, rules)
    }
  }

  /// The block up to which conflicts were given to merge programs.
  private static let programsUpTo = "programsUpTo"
  /// The settings that they had then.
  private static let programSettings = "programSettings"

  /// The conflict of a record if programs may settle it.
  private func clashing(_ id: String, _ rules: MergeSettings) throws -> Conflict? {
    try store.snapshot {
      guard let row = try store.records.record(id), row.conflict == .live,
        let (conflict, own) = try unasked(row, rules), own,
        !conflict.isClean
      else { return nil }
      return conflict
    }
  }

  private func settled(
    _ conflict: Conflict, _ rules: MergeSettings, _ run: MergeProgramCall
  ) throws -> Settled? {
    var names: [String] = []
    var paths: [String: [Conflict.Path]] = [:]
    for path in conflict.clashes {
      guard let name = rules.driver(type: conflict.row.type, path.path) else { return nil }
      if paths[name] == nil { names.append(name) }
      paths[name, default: []].append(path)
    }
    var settled = Settled(conflict.merged, leaves: conflict.leaves, how: .program(names.joined(separator: ",")))
    for name in names {
      guard let content = try run(name, conflict, settled.content, paths[name] ?? []) else { return nil }
      settled.content = content
    }
    return settled
  }

  private func end(_ made: [(id: String, settled: Settled)], _ rules: MergeSettings) throws -> [Merged] {
    var merged: [Merged] = []
    var builder = try builder(label: Database.mergeLabel)
    for (id, settled) in made {
      guard let row = try store.records.record(id), let conflict = try conflict(of: row, rules),
        conflict.leaves == settled.leaves
      else { continue }
      if let one = try end(unasked: conflict, settled, &builder) { merged.append(one) }
    }
    if !builder.isEmpty { _ = try write(&builder, label: Database.mergeLabel) }
    return merged
  }
}
