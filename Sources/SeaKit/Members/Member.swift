internal import SeaCore
internal import SeaEngine

/// An instance with its authorization status.
public struct Member: Sendable, Hashable, Identifiable {
  /// The authorization status.
  public enum State: String, Sendable, CaseIterable, Codable {
    /// This instance.
    case own = "self"
    /// The instance can read and write, according to its role.
    case authorized
    /// The instance has requested access.
    case pending
    /// The instance has been revoked.
    case revoked
    /// The instance was authorized, but has not written anything yet.
    case silent
  }

  /// The permissions of a member.
  public enum Role: String, Sendable, CaseIterable, Codable {
    /// The member can read, but its changes are ignored.
    case read
    /// The member can read and write.
    case write
    /// The member can also authorize and revoke instances.
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

  /// The id, a UUID.
  public let id: String
  /// The display name of the instance; nil if unknown. An instance can choose any name.
  public let name: String?
  /// The authorization status.
  public let state: State
  /// The role; nil if the database has no members, or the instance is not a member.
  public let role: Role?
  /// The fingerprint of the instance's keys, as words that people can compare; nil if the keys are unknown.
  public let fingerprint: String?
  /// The time of the instance's last block, according to its own clock; nil if there is none.
  public let lastSeen: Timestamp?
  /// The number of pending blocks of the instance.
  public let heldBlocks: Int
  /// Whether this is the instance of the `Database` object that returned the value.
  public let isOwn: Bool

  init(_ view: InstanceView, own: UUID) {
    (id, isOwn) = (view.instance.description, view.instance == own)
    name = view.name.isEmpty ? nil : view.name
    state = State(rawValue: view.state.rawValue) ?? .authorized
    role = view.role.map(Role.init)
    fingerprint = view.words?.description
    lastSeen = view.seen.map { Timestamp(milliseconds: $0) }
    heldBlocks = view.held
  }
}

/// The effect of authorizing or revoking an instance.
public struct MemberChange: Sendable, Hashable {
  /// The number of blocks that became valid or invalid.
  public let blocks: Int
  /// The number of changed records.
  public let records: Int
  /// The number of the newest key; nil if blocks are not encrypted.
  public let key: Int?
  /// The number of passwords that no longer open the database.
  public let passwords: Int

  init(_ change: SeaEngine.MemberChange) {
    (blocks, records, passwords) = (change.blocks, change.records, change.passwords)
    key = change.epoch.map { Int($0) }
  }
}

/// The effect of revoking an instance.
public struct RevocationPreview: Sendable, Hashable {
  /// The index of the instance's last valid block; nil if no block stays valid.
  public let lastBlock: UInt32?
  /// The number of blocks of the instance that would be ignored.
  public let ignoredBlocks: Int
  /// The number of blocks of other instances that would be ignored, because only this instance authorized them.
  public let ignoredBlocksOfOthers: Int
  /// The number of blocks purged by the instance that would count as damaged. Revoking then needs `acceptsLoss`.
  public let damagedBlocks: Int

  init(_ last: UInt32?, _ loss: RevocationLoss) {
    (lastBlock, ignoredBlocksOfOthers, damagedBlocks) = (last, loss.others, loss.removed)
    ignoredBlocks = loss.blocks - loss.others
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
