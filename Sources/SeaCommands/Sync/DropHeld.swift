import SeaEngine
import SeaWords

/// `sea containers --drop-held`: take out of a container what counts nowhere.
enum DropHeld {
  static func run(_ session: Session, _ database: Database, _ name: String, isDry: Bool) throws -> ExitStatus {
    let setting = try database.containers.setting(name)
    let all = try database.exchange.dropHeld(in: setting, dryRun: isDry)
    let dropped = all.instances
    for one in dropped {
      try session.terminal.report(
        isDry ? "would-drop" : "dropped",
        [
          "container": .text(setting.name), "instance": .id(one.instance), "name": .text(one.name),
          "revoked": .flag(one.isRevoked), "blocks": .integer(one.blocks), "assets": .integer(one.assets),
          "request": .flag(one.request),
        ]
      ) { "\(setting.name): \(isDry ? "would take out" : "took out") \(words(one, session))" }
    }
    if all.files > 0 {
      let files = "\(isDry ? "would set aside" : "set aside") \(Count(all.files, "file")) that"
      let what = "\(all.files == 1 ? "holds" : "hold") no block that counts, behind the end of chains or a gap"
      try session.terminal.remark("\(setting.name): \(files) \(what)")
    }
    if all.slots > 0 {
      let slots = "\(isDry ? "would take out" : "took out") \(Count(all.slots, "slot"))"
      try session.terminal.remark("\(setting.name): \(slots) that nobody has listed")
    } else if dropped.isEmpty, all.files == 0 {
      try session.terminal.remark("\(setting.name): nothing is there that does not count")
    }
    session.terminal.summarise([
      "instances": .integer(dropped.count), "blocks": .integer(dropped.reduce(0) { $0 + $1.blocks }),
      "assets": .integer(dropped.reduce(0) { $0 + $1.assets }), "slots": .integer(all.slots),
      "files": .integer(all.files),
    ])
    return .success
  }

  private static func words(_ one: Dropped, _ session: Session) -> String {
    var parts: [String] = []
    if one.blocks > 0 { parts.append(Count(one.blocks, "block").description) }
    if one.assets > 0 { parts.append(Count(one.assets, "asset").description) }
    if one.request { parts.append("a request to join") }
    let id = session.terminal.short(one.instance)
    let who = one.name.isEmpty ? id : "\(one.name) (\(id))"
    return "\(parts.joined(separator: ", ")) of \(who), which \(one.isRevoked ? "is revoked" : "is no member")"
  }
}
