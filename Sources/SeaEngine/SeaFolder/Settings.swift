import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// How a database is used: what a room needs to know of the program that it runs in.
package struct Settings {
  package var access = Store.Access.read
  /// Seconds to wait for another writer; nil for ever.
  package var lockWait: Double? = 10
  /// What other processes see while they wait for this one.
  package var command = "sea"
  /// The wall clock, milliseconds since 1970. It is only ever shown.
  package var clock: @Sendable () -> Int64 = { Clock.now() }
  /// Where a password comes from when one is needed, as it was typed; nil where there is none.
  package var password: ((PasswordUse) throws -> [UInt8]?)?
  /// Where a password is had from that was given without being asked for; nil where none was. It is looked for in the database
  /// that needs one alone.
  package var givenPassword: () -> (() throws -> [UInt8]?)? = { nil }
  /// How much is done to find a slot that a password opens, where all are strangers'.
  package var slotEffort = SlotEffort()
  /// The keys of recovery, which open what is cloned in the place of a password.
  package var recovery: Identity?
  /// Whether keys are kept on this device, so that nobody has to be asked again.
  package var keepsKeys = true
  /// Told that keys come into the memory of this process.
  package var holdsKeys: () -> Void = {}
  /// Whether what is cloned has to be sealed: a password was given for it.
  package var expectsSealed = false
  /// Rounds of PBKDF2 in new slots.
  package var rounds = Slot.leastNewRounds
  /// The settings that are not shared, from the weakest layer to the strongest.
  package var ownConfig: () throws -> [Config.Entry] = { [] }
  /// The folder of the copy guard's notes; nil for none.
  package var notes: String?
  /// Whether blocks are compressed where that is worth it; asked only then.
  package var compresses: () throws -> Bool = { true }
  /// Whether records are written under the key of an older epoch where that of the newest is not here.
  package var writesUnderOldKeys: () throws -> Bool = { false }
  /// Milliseconds until what has not arrived in a container counts as lost; asked only where something has not.
  package var patience: () throws -> Int64 = { 3_600_000 }
  /// So many bytes of a bundle are unpacked at most.
  package var mostBundle: () throws -> Int64 = { 1 << 40 }
  /// How much content lies in one file of assets; another number only in tests.
  package var assetFileSize = AssetExtent.fileSize {
    didSet { AssetReference.testedFileSize = assetFileSize }
  }
  /// The id of this machine, if it has one.
  package var machine: @Sendable () -> String? = { Machine.id() }
  /// What reaches containers that are no folders here.
  package var helpers = Helpers()
  /// How much may be moved between here and containers; nil for all.
  package var allowance: Allowance?
  /// Fails with `Stopped` if work is to stop; asked where nothing is half done, or everything of it goes.
  package var checkStop: () throws -> Void = {}
  /// Whether a new instance without a password asks to be let in.
  package var asksToBeLetIn = true
  /// Told that a password opens nothing: whether who has typed it may type another.
  package var asksAgain: () -> Bool = { false }
  /// Told how far long work has come; nil where nobody looks.
  package var report: WorkReport?

  package init(access: Store.Access = .read, lockWait: Double? = 10, command: String = "sea") {
    self.access = access
    self.lockWait = lockWait
    self.command = command
  }

  /// Does what settings say of how a database is used; each is read when it is asked for.
  package mutating func follow(_ config: @escaping () throws -> Config) {
    ownConfig = { try config().own }
    compresses = { try config().bool("core.compress") ?? true }
    writesUnderOldKeys = { try config().bool("core.oldKey") ?? false }
    patience = { try (config().duration("sync.patience") ?? 3600) * 1000 }
    mostBundle = { try config().size("import.maxSize") ?? 64 << 30 }
  }

  /// The same in the middle of what is done as a whole or not at all.
  var checkStopOfAll: () throws -> Void {
    { [checkStop] in do { try checkStop() } catch is Stopped { throw Stopped(.nothing) } }
  }

  /// For a command that writes.
  package static func forWriting(lockWait: Double?, command: String) -> Settings {
    Settings(access: .write, lockWait: lockWait, command: command)
  }
}

/// How much is done for slots that lie in a container, of which a newcomer does not know whose they are.
package struct SlotEffort: Sendable {
  /// So many files are looked at.
  package var mostFiles = 10_000
  /// So many rounds are done in all.
  package var mostRounds = Slot.mostRoundsTogether

  package init() {}

  /// All that there are, whatever it takes.
  package static var unlimited: SlotEffort {
    var effort = SlotEffort()
    (effort.mostFiles, effort.mostRounds) = (.max, .max)
    return effort
  }
}

/// What a password is wanted for.
package enum PasswordUse: Sendable, Equatable {
  /// To open what lies at a place.
  /// - Parameter orAsks: whether who has none asks to be let in.
  case open(place: String, orAsks: Bool = false)
  /// To seal a new database, or to replace a password.
  case new(place: String)
}
