import SeaKit

/// One copy of the database, as the drawing and the table show it: an instance or a container.
struct CopyRow: Sendable {
  enum Kind: Sendable { case own, instance, asking, container }

  let kind: Kind
  let name: String
  let id: String
  /// The line below the name.
  let about: String
  /// The number of blocks of each chain; nil if unknown.
  let has: [Int]?
  let missing: Int
  /// Blocks that a sync would send and fetch; only for containers.
  var toPush = 0
  var toPull = 0
  var isTroubled = false

  /// The rows of a database: this instance, others, requests, and containers.
  static func all(
    _ copies: Copies, _ members: [Member], _ containers: [AttachedContainer], now: Timestamp = .now
  ) -> [CopyRow] {
    func counts(_ copy: [String: Int]) -> [Int] { copies.chains.map { copy[$0.id] ?? 0 } }
    var rows: [CopyRow] = []
    let names = Dictionary(members.map { ($0.name, 1) }, uniquingKeysWith: +)
    for member in members {
      let short = String(member.id.prefix(8))
      // Names need not be unique.
      let isAmbiguous = names[member.name, default: 0] > 1
      let name = member.name.map { isAmbiguous ? "\($0) \(short)" : $0 } ?? short
      let days = member.lastSeen.map { (now.milliseconds - $0.milliseconds) / 86_400_000 } ?? 0
      let seen = member.lastSeen.map { Times.words($0, now) + (days > 31 ? ", \(days) days ago" : "") }
      let copy = copies.instances[member.id]
      let state: String =
        switch member.state {
        case .own: "this instance"
        case .authorized: seen.map { "last heard from \($0)" } ?? "no change yet"
        case .pending: member.isOwn ? "waits to be authorized" : "asks to join"
        case .revoked: "revoked\(seen.map { ", last heard from \($0)" } ?? "")"
        case .silent: "authorized, no change yet"
        }
      let kind: Kind = member.isOwn ? .own : member.state == .pending ? .asking : .instance
      if member.state == .silent, copy == nil, member.name == "recovery" { continue }
      rows.append(
        CopyRow(
          kind: kind, name: name, id: member.id, about: state, has: copy.map(counts),
          missing: copy.map { copies.missing(from: $0) } ?? 0,
          isTroubled: member.state == .revoked || (days > 31 && kind == .instance)))
    }
    rows.sort {
      ($0.kind == .own ? 0 : $0.kind == .instance ? 1 : 2) < ($1.kind == .own ? 0 : $1.kind == .instance ? 1 : 2)
    }
    for container in containers {
      let copy = copies.containers[container.name]
      let sync = container.lastSync.map { "last sync \(Times.words($0, now))" } ?? "never synced"
      var row = CopyRow(
        kind: .container, name: container.name, id: container.name, about: "\(container.shownState), \(sync)",
        has: copy.map(counts), missing: copy.map { copies.missing(from: $0) } ?? 0,
        isTroubled: !container.isGood)
      (row.toPush, row.toPull) = (container.blocksToPush, container.blocksToPull ?? 0)
      rows.append(row)
    }
    return rows
  }

  /// The missing blocks, in words.
  var lack: String {
    if kind == .own { return "has all known blocks" }
    guard has != nil else { return "no blocks known yet" }
    return missing == 0 ? "has everything" : "lacks \(Amount.count(missing, "block"))"
  }
}

extension AttachedContainer {
  /// Whether nothing is wrong with it.
  var isGood: Bool { ["ok", "synced", "new", "read-only"].contains(state.rawValue) }

  /// Whether changes wait for its next sync.
  var waits: Bool {
    isGood && lastSync != nil && (isReadOnly ? 0 : blocksToPush) + (blocksToPull ?? 0) > 0
  }

  /// Its state as the pages show it.
  var shownState: String { waits ? "has to be synced" : state.rawValue }
}
