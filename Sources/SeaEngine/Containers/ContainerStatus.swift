import SeaContainer
import SeaCore
import SeaStore

/// How a container stands: what became of it when it was last used, or what was found now that it was looked at.
package enum ContainerCondition: String, Sendable {
  /// It was looked at now, and nothing is wrong or missing by names and sizes.
  case ok
  /// The last sync found nothing wrong; nobody has looked since.
  case synced
  /// Attached, and never synced with.
  case new
  case readOnly = "read-only"
  /// Nothing is there, nothing that answers, or another container.
  case away
  /// It holds another database or another type of content.
  case mismatch
  /// Not all of it has come yet.
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
  /// Blocks that it is not known to have.
  package var toPush: Int
  /// Files of assets that it is to have and was not given yet; nil if nobody counted.
  package var assetsToPush: Int?
  /// Blocks that it has and this instance lacks; nil if it was not looked at.
  package var toPull: Int?
  /// Whether what lies in it is sealed.
  package var isSealed = false
  /// Milliseconds since 1970; nil for never.
  package var lastSync: Int64?
}

/// What a container of any database is said to hold.
package struct ContainerSurvey {
  package var database: UUID
  package var contentType: String
  package var chains = 0
  package var blocks = 0
}

extension Containers {
  /// - Parameter probe: looks at each container; else only what is remembered of it.
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

  /// What the names in a container of any database say it holds.
  package static func survey(ofContainerAt location: String, _ helpers: Helpers) throws -> ContainerSurvey {
    let source = try at(location, helpers)
    let info = try source.info()
    let place = ContainerPlace(source, named: location)
    return ContainerSurvey(
      database: info.database, contentType: info.contentType,
      chains: try place.chains().chains.count { $0.isTrunk }, blocks: try place.branches().blocks)
  }

  /// What an error says about the container that was in use; nil if it is not the container's fault.
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

  /// Whether somebody has not answered in the time that the run had.
  package static func isLate(_ error: any Error) -> Bool {
    if case ContainerError.helper(.late, _) = error { true } else { false }
  }

  /// The containers that a command means: those named, or all that are automatic.
  /// - Throws: `containerNotFound`; `containerIsReadOnly` for one that is named and cannot be pushed to.
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
