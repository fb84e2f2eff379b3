internal import SeaEngine

/// A container that is attached to this instance, to exchange changes with other instances.
public struct AttachedContainer: Sendable, Hashable {
  /// The name of the container.
  public let name: String
  /// The location: a path, or a location that a helper supports, such as `s3://bucket/birds.sea`.
  public let location: String
  /// Whether a sync without names includes this container.
  public let isAutomatic: Bool
  /// Whether this instance never writes to the container.
  public let isReadOnly: Bool
  /// The state of the container when it was last checked.
  public let state: State
  /// The number of blocks of this instance that have not been pushed yet.
  public let blocksToPush: Int
  /// The number of blocks in the container that this instance has not pulled yet; nil if that was not checked.
  public let blocksToPull: Int?
  /// The time of the last sync, according to this device's clock; nil if the container has never been synced.
  public let lastSync: Timestamp?
  /// How long the last sync took; nil if it is unknown.
  public let lastSyncDuration: Duration?

  /// The state of a container.
  public struct State: Sendable, Hashable, RawRepresentable {
    /// The word: `ok`, `synced`, `new`, `read-only`, `unavailable`, `mismatch`, `incomplete`, `damaged` or `failed`.
    public let rawValue: String

    /// Creates a state from any word.
    public init(rawValue: String) { self.rawValue = rawValue }
  }

  init(_ status: ContainerStatus) {
    (name, location) = (status.setting.name, status.setting.location)
    (isAutomatic, isReadOnly) = (status.setting.isAutomatic, status.setting.isReadOnly)
    (state, blocksToPush) = (State(rawValue: status.state.rawValue), status.toPush)
    blocksToPull = status.toPull
    lastSync = status.lastSync.map { Timestamp(milliseconds: $0) }
    lastSyncDuration = status.took.map { .milliseconds($0) }
  }
}

extension Database {
  /// Returns the attached containers with their last known states.
  /// - Parameter probing: whether to check the containers now, by comparing file names and sizes.
  public func containers(probing: Bool = false) async throws -> [AttachedContainer] {
    try await working(opensReadOnly: true) { try $0.containers.statuses(probe: probing).map { AttachedContainer($0) } }
  }

  /// Attaches a container.
  /// - Parameters:
  ///   - name: 1 to 64 letters, digits, `-`, `.` and `_`.
  ///   - location: a path, or a location that a helper supports.
  ///   - creating: whether to create the container if it does not exist.
  ///   - isReadOnly: whether this instance never writes to the container.
  ///   - isAutomatic: whether a sync without names includes the container.
  ///   - assets: the assets to transfer in later syncs: `all`, `none` or conditions as in sea-sync(1). If nil, all are
  ///     sent and none are fetched.
  /// - Returns: whether the container was created.
  /// - Throws: `incompatible` if the container belongs to another database, `unreachable` if it does not exist, `usage`
  ///   if a value is invalid.
  @discardableResult
  public func addContainer(
    _ name: String, at location: String, creating: Bool = false, isReadOnly: Bool = false, isAutomatic: Bool = true,
    assets: String? = nil
  ) async throws -> Bool {
    let setting = try ContainerSetting(name, location, creating, isReadOnly, isAutomatic, assets)
    return try await working { try $0.containers.add(setting, create: creating).created }
  }

  /// Checks whether a container can be attached, and changes nothing.
  /// - Parameters: those of ``addContainer(_:at:creating:isReadOnly:isAutomatic:assets:)``.
  /// - Returns: whether the container would be created.
  /// - Throws: the errors of ``addContainer(_:at:creating:isReadOnly:isAutomatic:assets:)``.
  public func preview(
    adding name: String, at location: String, creating: Bool = false, isReadOnly: Bool = false,
    isAutomatic: Bool = true, assets: String? = nil
  ) async throws -> Bool {
    let setting = try ContainerSetting(name, location, creating, isReadOnly, isAutomatic, assets)
    return try await working(opensReadOnly: true) {
      try $0.containers.add(setting, create: creating, dryRun: true).created
    }
  }

  /// Detaches a container; its files stay.
  /// - Parameters:
  ///   - name: the name of the container.
  ///   - force: whether to detach it even if it has content that this instance has not pulled, or cannot be checked.
  /// - Returns: whether it was detached.
  @discardableResult
  public func removeContainer(_ name: String, force: Bool = false) async throws -> Bool {
    try await working { try $0.containers.remove(name, force: force).unread == 0 || force }
  }
}

extension ContainerSetting {
  /// - Throws: `usage` if the values contradict each other.
  fileprivate init(
    _ name: String, _ location: String, _ creating: Bool, _ isReadOnly: Bool, _ isAutomatic: Bool, _ assets: String?
  ) throws {
    guard !creating || !isReadOnly else {
      throw SeaError(.usage, "a new container cannot be read-only", ["container": name])
    }
    self.init(name: name, location: location)
    (self.isReadOnly, self.isAutomatic) = (isReadOnly, isAutomatic)
    guard let assets else { return }
    guard let filter = AssetFilter(assets) else {
      throw SeaError(.usage, "'\(assets)' does not say which assets to transfer", ["container": name])
    }
    self.assets = filter.description
  }
}
