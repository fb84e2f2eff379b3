import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// The settings and callbacks that a database needs from its program.
package struct Settings {
  package var access = Store.Access.read
  /// Seconds to wait for another writer; nil for no limit.
  package var lockWait: Double? = 10
  /// The name that other processes see while they wait for this one.
  package var command = "sea"
  /// The wall clock, milliseconds since 1970. It is used only for display.
  package var clock: @Sendable () -> Int64 = { Clock.now() }
  /// Returns a password when one is needed, as typed; nil without one.
  package var password: ((PasswordUse) throws -> [UInt8]?)?
  /// Returns the source of a password that was given without a prompt; nil without one. It is only used if a database
  /// needs one.
  package var givenPassword: () -> (() throws -> [UInt8]?)? = { nil }
  /// The effort to find a key slot that a password opens, if the key slots are not trusted.
  package var slotEffort = SlotEffort()
  /// The recovery keys, which open a cloned database instead of a password.
  package var recovery: Identity?
  /// Whether keys are stored on this device, so that no further prompt is needed.
  package var keepsKeys = true
  /// Called when keys come into the memory of this process.
  package var holdsKeys: () -> Void = {}
  /// Whether a cloned database must be encrypted, because a password was given for it.
  package var expectsSealed = false
  /// Rounds of PBKDF2 in new key slots.
  package var rounds = Slot.leastNewRounds
  /// The settings that are not shared, from the lowest precedence to the highest.
  package var ownConfig: () throws -> [Config.Entry] = { [] }
  /// The folder of the copy guard's notes; nil for none.
  package var notes: String?
  /// Whether blocks are compressed if that is worth it; only called then.
  package var compresses: () throws -> Bool = { true }
  /// Whether records may be written under an older key if the newest key is missing here.
  package var writesUnderOldKeys: () throws -> Bool = { false }
  /// Milliseconds after which missing data of a container counts as lost; only called if data is missing.
  package var patience: () throws -> Int64 = { 3_600_000 }
  /// The maximum number of bytes that are unpacked from a bundle.
  package var mostBundle: () throws -> Int64 = { 1 << 40 }
  /// The content bytes in one asset file; only tests change it.
  package var assetFileSize = AssetExtent.fileSize {
    didSet { AssetReference.testedFileSize = assetFileSize }
  }
  /// Returns the id of this machine, if it has one.
  package var machine: @Sendable () -> String? = { Machine.id() }
  /// The programs that access containers which are not local folders.
  package var helpers = Helpers()
  /// The limit for transfers between here and containers; nil for none.
  package var allowance: Allowance?
  /// Throws `Stopped` if work is to stop. It is called where nothing is incomplete, or where incomplete work is
  /// discarded.
  package var checkStop: () throws -> Void = {}
  /// Whether a new instance without a password requests access.
  package var asksToBeLetIn = true
  /// Called after a wrong password; returns whether the user may type another.
  package var asksAgain: () -> Bool = { false }
  /// Called with the progress of long work; nil if progress is not shown.
  package var report: WorkReport?

  package init(access: Store.Access = .read, lockWait: Double? = 10, command: String = "sea") {
    self.access = access
    self.lockWait = lockWait
    self.command = command
  }

  /// Takes values from the configuration; each is read when it is needed.
  package mutating func follow(_ config: @escaping () throws -> Config) {
    ownConfig = { try config().own }
    compresses = { try config().bool("core.compress") ?? true }
    writesUnderOldKeys = { try config().bool("core.oldKey") ?? false }
    patience = { try (config().duration("sync.patience") ?? 3600) * 1000 }
    mostBundle = { try config().size("import.maxSize") ?? 64 << 30 }
  }

  /// The same check within a unit of work that is completed as a whole or not at all.
  var checkStopOfAll: () throws -> Void {
    { [checkStop] in do { try checkStop() } catch is Stopped { throw Stopped(.nothing) } }
  }

  package static func forWriting(lockWait: Double?, command: String) -> Settings {
    Settings(access: .write, lockWait: lockWait, command: command)
  }
}

/// The effort for key slots in a container while their origin is unknown.
package struct SlotEffort: Sendable {
  /// The maximum number of files that are read.
  package var mostFiles = 10_000
  /// The maximum number of rounds in total.
  package var mostRounds = Slot.mostRoundsTogether

  package init() {}

  /// No limit.
  package static var unlimited: SlotEffort {
    var effort = SlotEffort()
    (effort.mostFiles, effort.mostRounds) = (.max, .max)
    return effort
  }
}

/// The purpose of a password.
package enum PasswordUse: Sendable, Equatable {
  /// To open the database at a place.
  /// - Parameter orAsks: whether a user without a password can request access instead.
  case open(place: String, orAsks: Bool = false)
  /// To encrypt a new database, or to replace a password.
  case new(place: String)
}
