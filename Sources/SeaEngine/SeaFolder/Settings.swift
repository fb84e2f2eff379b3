import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The settings and callbacks that a program provides to a database.
package struct Settings {
  package var access = Store.Access.read
  /// The number of seconds to wait for another writer; nil for no limit.
  package var lockWait: Double? = 10
  /// The name that other processes see while they wait for this process.
  package var command = "sea"
  /// The wall clock in milliseconds since 1970, used only for display.
  package var clock: @Sendable () -> Int64 = { Clock.now() }
  /// Returns a password as typed, when one is needed; nil if there is no password.
  package var password: ((PasswordUse) throws -> [UInt8]?)?
  /// Returns a function that reads a password given without a prompt; nil if none was given. The function is called
  /// only if a password is needed.
  package var givenPassword: () -> (() throws -> [UInt8]?)? = { nil }
  package var slotEffort = SlotEffort()
  /// The recovery key, which opens a cloned database without a password.
  package var recovery: Identity?
  /// Whether keys are stored on this device, so that no further prompt is needed.
  package var keepsKeys = true
  /// Called when keys are loaded into the memory of this process.
  package var holdsKeys: () -> Void = {}
  /// Whether the database to clone must be encrypted, because a password was given for it.
  package var expectsSealed = false
  package var rounds = Slot.leastNewRounds
  /// The settings of this device and user, without those that all instances share.
  package var config: () throws -> Config = { Config() }
  package var notes: String?
  package var writesUnderOldKeys: () throws -> Bool = { false }
  /// After how many milliseconds data missing from a container counts as lost; called only if data is missing.
  package var patience: () throws -> Int64 = { 3_600_000 }
  package var mostBundle: () throws -> Int64 = { 1 << 40 }
  /// The number of content bytes in an asset file. Only tests change it.
  package var assetFileSize = AssetExtent.fileSize {
    didSet { AssetReference.testedFileSize = assetFileSize }
  }
  package var machine: @Sendable () -> String? = { Machine.id() }
  package var helpers = Helpers()
  package var allowance: Allowance?
  /// Throws `Stopped` if the work must stop. Called only where no work is incomplete or incomplete work can be
  /// discarded.
  package var checkStop: () throws -> Void = {}
  package var requestsAccess = true
  /// Called after a wrong password; returns whether to prompt again.
  package var asksAgain: () -> Bool = { false }
  package var report: WorkReport?

  package init(access: Store.Access = .read, lockWait: Double? = 10, command: String = "sea") {
    self.access = access
    self.lockWait = lockWait
    self.command = command
  }

  /// Takes values from the configuration. Each value is read when it is needed.
  package mutating func follow(_ config: @escaping () throws -> Config) {
    self.config = config
    writesUnderOldKeys = { try config().bool("core.oldKey") ?? false }
    patience = { try (config().duration("sync.patience") ?? 3600) * 1000 }
    mostBundle = { try config().size("import.maxSize") ?? 64 << 30 }
  }

  /// Like `checkStop`, but for work that is either completed or undone as a whole.
  var checkStopOfAll: () throws -> Void {
    { [checkStop] in do { try checkStop() } catch is Stopped { throw Stopped(.nothing) } }
  }

  package static func forWriting(lockWait: Double?, command: String) -> Settings {
    Settings(access: .write, lockWait: lockWait, command: command)
  }
}

/// The maximum effort spent on trying key slots of unknown origin in a container.
package struct SlotEffort: Sendable {
  package var mostFiles = 10_000
  package var mostRounds = Slot.mostRoundsTogether

  package init() {}

  package static var unlimited: SlotEffort {
    var effort = SlotEffort()
    (effort.mostFiles, effort.mostRounds) = (.max, .max)
    return effort
  }
}

package enum PasswordUse: Sendable, Equatable {
  /// Opens the database at a location.
  /// - Parameter orAsks: whether a user without a password can request access instead.
  case open(place: String, orAsks: Bool = false)
  /// Encrypts a new database, or replaces a password.
  case new(place: String)
}
