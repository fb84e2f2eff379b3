internal import SeaEngine

/// A place through which instances exchange changes, as this instance knows it.
public struct AttachedContainer: Sendable, Hashable {
  /// What it is called here.
  public let name: String
  /// Where it lies: a path, or what a helper reaches, as `s3://bucket/birds.sea`.
  public let location: String
  /// Whether it is meant where none is named.
  public let isAutomatic: Bool
  /// Whether nothing is written there.
  public let isReadOnly: Bool
  /// How it was when it was looked at last.
  public let state: State
  /// Own blocks that are to be handed over.
  public let blocksToPush: Int
  /// When it was synced last, by the clock of this device; nil for never.
  public let lastSync: Timestamp?

  /// How it is with a container.
  public struct State: Sendable, Hashable, RawRepresentable {
    /// The word that `sea containers` prints, as `synced`, `pending`, `arriving`, `damaged`, `away`.
    public let rawValue: String

    /// Any word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  init(_ status: ContainerStatus) {
    (name, location) = (status.setting.name, status.setting.location)
    (isAutomatic, isReadOnly) = (status.setting.isAutomatic, status.setting.isReadOnly)
    (state, blocksToPush) = (State(rawValue: status.state.rawValue), status.toPush)
    lastSync = status.lastSync.map { Timestamp(milliseconds: $0) }
  }
}

extension Database {
  /// The containers that are attached, by what is remembered of them.
  /// - Parameter probing: whether they are looked at now, by names and sizes.
  public func containers(probing: Bool = false) async throws -> [AttachedContainer] {
    try await working(isLooking: true) { try $0.containers.statuses(probe: probing).map { AttachedContainer($0) } }
  }

  /// Attaches a container.
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, `-`, `.` and `_`.
  ///   - location: a path, or what a helper reaches.
  ///   - creating: whether it is made where there is none.
  /// - Throws: `incompatible` if it is of another database, `unreachable` if there is none.
  public func addContainer(_ name: String, at location: String, creating: Bool = false) async throws {
    try await working { _ = try $0.containers.add(ContainerSetting(name: name, location: location), create: creating) }
  }

  /// Forgets a container; its files stay.
  /// - Parameters:
  ///   - name: which one.
  ///   - force: also if it has what this instance has not taken in, or cannot be looked at.
  /// - Returns: whether it was forgotten.
  @discardableResult
  public func removeContainer(_ name: String, force: Bool = false) async throws -> Bool {
    try await working { try $0.containers.remove(name, force: force).unread == 0 || force }
  }
}
