internal import SeaCore
internal import SeaEngine

/// An instance, and what it may do.
public struct Member: Sendable, Hashable, Identifiable {
  /// How it stands.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// It is this one.
    case own = "self"
    /// It may read and write as its role says.
    case authorised
    /// It waits to be let in.
    case pending
    /// It was shut out.
    case revoked
    /// It was let in, and has written nothing yet.
    case silent
  }

  /// What a member may do.
  public enum Role: String, Sendable, CaseIterable, Codable {
    /// It may read; what it writes counts nowhere.
    case read
    /// It may read and write.
    case write
    /// It may let others in and shut them out, too.
    case admin

    var core: SeaCore.Role {
      switch self {
      case .read: .read
      case .write: .write
      case .admin: .admin
      }
    }

    init(_ role: SeaCore.Role) {
      switch role {
      case .read: self = .read
      case .write: self = .write
      case .admin: self = .admin
      }
    }
  }

  /// A UUID.
  public let id: String
  /// What it calls itself; nil if that is not known. Anybody can call himself anything.
  public let name: String?
  /// How it stands.
  public let state: State
  /// Nil where there are no members, and for who is none.
  public let role: Role?
  /// The words by which people compare its keys; nil if these are not known.
  public let fingerprint: String?
  /// When it wrote last, by its own clock; nil if never.
  public let lastSeen: Timestamp?
  /// How many blocks of it are kept and do not count.
  public let heldBlocks: Int
  /// Whether it is the database that was asked.
  public let isOwn: Bool

  init(_ view: InstanceView, own: UUID) {
    (id, isOwn) = (view.instance.description, view.instance == own)
    name = view.name.isEmpty ? nil : view.name
    state = State(rawValue: view.state.rawValue) ?? .authorised
    role = view.role.map(Role.init)
    fingerprint = view.words?.description
    lastSeen = view.seen.map { Timestamp(milliseconds: $0) }
    heldBlocks = view.held
  }
}

/// What letting somebody in, or shutting somebody out, has done.
public struct MemberChange: Sendable, Hashable {
  /// How many blocks count now and did not before, or the other way round.
  public let blocks: Int
  /// How many records say something else since.
  public let records: Int
  /// The number of the newest key, where blocks are sealed.
  public let key: Int?
  /// How many passwords open nothing any more.
  public let passwords: Int

  init(_ change: SeaEngine.MemberChange) {
    (blocks, records, passwords) = (change.blocks, change.records, change.passwords)
    key = change.epoch.map { Int($0) }
  }
}

extension KeySlot {
  init(_ view: SlotView) {
    let opener: Opener =
      switch view.kind {
      case .password(let rounds): .password(rounds: rounds)
      case .instance(let id, let name): .instance(id.description, name: name)
      case .previous(let number): .earlierKey(Int(number))
      }
    self.init(id: view.name.description, key: Int(view.epoch), opener: opener)
  }
}
