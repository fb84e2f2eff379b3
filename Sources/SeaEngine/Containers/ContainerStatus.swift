import SeaContainer
import SeaCore
import SeaStore

/// The condition of a container, as of its last use or as found by a check just now.
package enum ContainerCondition: String, Sendable {
  /// A check of names and sizes has just found nothing wrong or missing.
  case ok
  /// The last sync found nothing wrong, and there has been no check since.
  case synced
  /// The container is attached but has never been synced.
  case new
  case readOnly = "read-only"
  /// The container does not exist or does not respond, or a different container is at its location.
  case unavailable
  /// The container belongs to another database or content type.
  case mismatch
  case incomplete
  case damaged
  case failed
}

package struct ContainerStatus: Sendable {
  package var setting: ContainerSetting
  package var state: ContainerCondition
  /// The number of blocks that are probably missing from the container.
  package var toPush: Int
  /// The number of asset files that the container should have but has not received yet; nil if not counted.
  package var assetsToPush: Int?
  package var toPull: Int?
  package var isSealed = false
  /// The time of the last sync in milliseconds since 1970; nil if the container has never been synced.
  package var lastSync: Int64?
  /// How long the last sync took, in milliseconds; nil if it is unknown.
  package var took: Int64?
}

/// The number of chains and blocks in a container, according to file names. The container may belong to any database.
package struct ContainerSurvey {
  package var database: UUID
  package var contentType: String
  package var chains = 0
  package var blocks = 0
}

extension Containers {
  package func statuses(probe: Bool) throws -> [ContainerStatus] {
    try settings().map { setting in
      let known = try folder.state(of: setting.name)
      let last = known.lastSync > 0 ? known.lastSync : nil
      var state: ContainerCondition = setting.isReadOnly ? .readOnly : last == nil ? .new : .ok
      if let condition = ContainerCondition(rawValue: known.condition), condition != .ok { state = condition }
      var status = ContainerStatus(
        setting: setting, state: state, toPush: setting.isReadOnly ? 0 : try toPush(setting.name), toPull: nil,
        isSealed: try folder.isSealed(), lastSync: last, took: known.took)
      guard probe else {
        if status.state == .ok { status.state = .synced }
        return status
      }
      do {
        let plan = try plan(setting)
        if !setting.isReadOnly { status.toPush = plan.push.blocks }
        status.toPull = plan.pull.blocks
      } catch {
        guard let state = Containers.state(for: error) else { throw error }
        status.state = state
      }
      return status
    }
  }

  package static func survey(ofContainerAt location: String, _ helpers: Helpers) throws -> ContainerSurvey {
    let source = try at(location, helpers)
    let info = try source.info()
    let place = ContainerPlace(source, named: location)
    return ContainerSurvey(
      database: info.database, contentType: info.contentType,
      chains: try place.chains().chains.count { $0.isMainBranch }, blocks: try place.branches().blocks)
  }

  /// Returns the container condition that an error indicates; nil if the container did not cause the error.
  package static func state(for error: any Error) -> ContainerCondition? {
    switch error {
    case KitError.containerUnavailable, KitError.otherContainer, ContainerError.missing, ContainerError.notAContainer:
      .unavailable
    case KitError.stillIncomplete: .incomplete
    case ContainerError.helper(let fault, _) where fault.isTemporary: .unavailable
    case KitError.containerMismatch, ContainerError.incompatible: .mismatch
    case ContainerError.badInfo: .damaged
    case is ContainerError: .failed
    default: nil
    }
  }

  package static func isLate(_ error: any Error) -> Bool {
    if case ContainerError.helper(.late, _) = error { true } else { false }
  }

  /// Returns the named containers, or all automatic containers if no name is given.
  /// - Throws: `containerNotFound`; `containerIsReadOnly` if a named container is read-only and the direction is
  ///   `push`.
  package func select(_ names: [String], for direction: Direction) throws -> [ContainerSetting] {
    if names.isEmpty {
      return try settings().filter { $0.isAutomatic && !($0.isReadOnly && direction == .push) }
    }
    var settings: [ContainerSetting] = []
    for name in names {
      let setting = try setting(name)
      if setting.isReadOnly, direction == .push { throw KitError.containerIsReadOnly(name) }
      if !settings.contains(setting) { settings.append(setting) }
    }
    return settings
  }
}
