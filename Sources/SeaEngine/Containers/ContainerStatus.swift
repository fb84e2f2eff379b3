import SeaContainer
import SeaCore
import SeaStore

/// The condition of a container, by its last use or by a check now.
package enum ContainerCondition: String, Sendable {
  /// A check now found nothing wrong or missing, by names and sizes.
  case ok
  /// The last sync found nothing wrong; there was no check since.
  case synced
  /// Attached, and never synced.
  case new
  case readOnly = "read-only"
  /// It does not exist or respond, or it is another container.
  case away
  /// It contains another database or content type.
  case mismatch
  /// Some of it has not arrived yet.
  case arriving
  /// Something in it does not verify.
  case damaged
  /// It could not be read or written.
  case failed
}

/// A container as this instance knows it.
package struct ContainerStatus: Sendable {
  package var setting: ContainerSetting
  package var state: ContainerCondition
  /// Blocks that it probably lacks.
  package var toPush: Int
  /// Asset files that it should have and was not given yet; nil if they were not counted.
  package var assetsToPush: Int?
  /// Blocks that it has and this instance lacks; nil without a check.
  package var toPull: Int?
  /// Whether its content is encrypted.
  package var isSealed = false
  /// Milliseconds since 1970; nil for never.
  package var lastSync: Int64?
}

/// The content of a container of any database, by its names.
package struct ContainerSurvey {
  package var database: UUID
  package var contentType: String
  package var chains = 0
  package var blocks = 0
}

extension Containers {
  /// - Parameter probe: whether to check each container; otherwise the remembered state is returned.
  package func statuses(probe: Bool) throws -> [ContainerStatus] {
    try settings().map { setting in
      let known = try folder.state(of: setting.name)
      let last = known.lastSync > 0 ? known.lastSync : nil
      var state: ContainerCondition = setting.isReadOnly ? .readOnly : last == nil ? .new : .ok
      if let condition = ContainerCondition(rawValue: known.condition), condition != .ok { state = condition }
      var status = ContainerStatus(
        setting: setting, state: state, toPush: setting.isReadOnly ? 0 : try toPush(setting.name), toPull: nil,
        isSealed: try folder.isSealed(), lastSync: last)
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

  /// Returns the content of a container of any database, by its names.
  package static func survey(ofContainerAt location: String, _ helpers: Helpers) throws -> ContainerSurvey {
    let source = try at(location, helpers)
    let info = try source.info()
    let place = ContainerPlace(source, named: location)
    return ContainerSurvey(
      database: info.database, contentType: info.contentType,
      chains: try place.chains().chains.count { $0.isTrunk }, blocks: try place.branches().blocks)
  }

  /// Returns the condition that an error shows; nil if the container is not the cause.
  package static func state(for error: any Error) -> ContainerCondition? {
    switch error {
    case KitError.containerAway, KitError.otherContainer, ContainerError.notThere, ContainerError.notAContainer: .away
    case KitError.stillArriving: .arriving
    case ContainerError.helper(let fault, _) where fault.isAbsence: .away
    case KitError.containerMismatch, ContainerError.incompatible: .mismatch
    case ContainerError.badInfo: .damaged
    case is ContainerError: .failed
    default: nil
    }
  }

  /// Returns whether a helper did not respond within the time of the run.
  package static func isLate(_ error: any Error) -> Bool {
    if case ContainerError.helper(.late, _) = error { true } else { false }
  }

  /// Returns the containers for a command: those that were named, or all automatic ones.
  /// - Throws: `containerNotFound`; `containerIsReadOnly` for a named one that cannot be pushed to.
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
