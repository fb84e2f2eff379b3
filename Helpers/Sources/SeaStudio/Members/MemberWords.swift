import SeaKit

/// The members of a database, and the permissions of this instance.
struct MemberList: Sendable {
  let all: [Member]
  let isEncrypted: Bool

  init(_ database: Database) async throws {
    all = try await database.members.all()
    isEncrypted = (try? await database.members.slots()) != nil
  }

  var own: Member? { all.first(where: \.isOwn) }
  /// Whether only the changes of authorized instances are applied.
  var hasMembers: Bool { all.contains { $0.role != nil || $0.state == .revoked || $0.state == .pending } }
  var requests: [Member] { all.filter { $0.state == .pending && !$0.isOwn } }
  var canAuthorize: Bool { hasMembers && all.contains { $0.role != nil } ? own?.role == .admin : isEncrypted }

  func find(_ id: String) throws(Refusal) -> Member {
    guard let member = all.first(where: { $0.id == id }) else { throw Refusal(404, "no instance has this id") }
    return member
  }
}

enum MemberWords {
  static func name(_ member: Member) -> String { member.name ?? String(member.id.prefix(8)) }

  static func state(_ member: Member) -> HTML {
    let held: HTML? =
      member.heldBlocks > 0
      ? " <span class=warn>\(Amount.count(member.heldBlocks, "change")) not applied</span>" : nil
    let word: HTML =
      switch member.state {
      case .own: "this instance"
      case .authorized: "authorized"
      case .pending: "<span class=warn>asks to join</span>"
      case .revoked: "<span class=warn>revoked</span>"
      case .silent: "authorized, nothing arrived yet"
      }
    return "\(word)\(held)"
  }

  static func role(_ role: Member.Role) -> String {
    switch role {
    case .read: "read: its changes are ignored"
    case .write: "write: it can read, and its changes are applied"
    case .admin: "admin: it can also authorize and revoke others"
    }
  }

  /// The words of a fingerprint, numbered, so that two people can compare them on the telephone.
  static func fingerprint(_ member: Member) -> HTML {
    guard let text = member.fingerprint else { return "<p class=warn>Its keys are not known here.</p>" }
    let words: [HTML] = text.split(separator: " ").map { "<li><bdi>\($0)</bdi></li>" }
    return "<ol class=words aria-label=\"Fingerprint of \(label: name(member))\">\(words)</ol>"
  }
}
