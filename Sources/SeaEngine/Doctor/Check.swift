/// The checks of `sea doctor`. Command lines and programs use the names, so the names must not change.
package enum Check: String, CaseIterable, Sendable {
  /// Whether this `.sea` folder is a copy or was restored to an older state.
  case copied
  /// Whether other users may read keys or change trusted files.
  case permissions
  /// Whether there is enough space to rebuild the store, and for more data in containers.
  case diskSpace = "disk-space"
  /// Whether the file system of the `.sea` folder puts the store at risk.
  case fileSystem = "file-system"
  case temporaries
  case projection
  case storedKeys = "stored-keys"
  /// Whether password key slots use at least the current number of rounds.
  case keyDerivation = "key-derivation"
  /// Whether the clocks of other instances are ahead of this device's clock.
  case clock
  case containers
  case cloudDebris = "cloud-debris"
  /// Whether data that was in containers is now missing.
  case missing
  /// Whether the content of containers was ever read back.
  case unverified
  /// Whether hooks can run. The program that runs hooks performs this check.
  case hooks
}

/// The result of a check: its findings, how many objects were examined, and which objects could not be examined.
package struct Examined: Sendable {
  package struct Looked: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case file, place, container, chain, slot, hook, machine, note, projection
      case identity, epochKey, guestKey
    }
    package var kind: Kind
    package var count: Int

    package init(kind: Kind, count: Int) { (self.kind, self.count) = (kind, count) }
  }

  package var findings: [Finding] = []
  package var looked: [Looked] = []
  /// The objects that could not be examined, and the errors. Their state is unknown.
  package var blind: [(subject: String, reason: any Error)] = []

  /// Unavailable containers, such as an unplugged USB drive. This is not a fault, but their content is unknown.
  package var away: [String] = []

  package init() {}

  package mutating func look(at kind: Looked.Kind, _ count: Int = 1) {
    if let at = looked.firstIndex(where: { $0.kind == kind }) {
      looked[at].count += count
    } else {
      looked.append(Looked(kind: kind, count: count))
    }
  }

  package mutating func find(_ subject: String, _ fact: Finding.Fact) {
    findings.append(Finding(subject: subject, fact: fact))
  }
}

/// A finding that the user should know and may have to act on.
package struct Finding: Sendable {
  /// The permission that other users should not have.
  package enum Right: String, Sendable { case read, write }

  package enum Fact: Sendable {
    case renewal(Renewal.Reason)
    case open(to: Right, path: String, isFolder: Bool)
    case owned(by: UInt32)
    case littleSpace(free: Int64, need: Int64)
    case onNetwork
    case smallFiles(largest: Int64)
    case hazard(Location.Hazard)
    case temporary(files: Int, bytes: Int64)
    case projection(String)
    case noIdentity
    /// Private keys of previous identities.
    case oldKeys(Int)
    /// Epoch keys are stored although they should not be.
    case keptKeys(Int)
    case weakSlots(Int, rounds: Int)
    /// The time of another instance's newest block is this many milliseconds in the future.
    case ahead(Int64)
    /// The time of this instance's newest block is this many milliseconds in the future.
    case setBack(Int64)
    case state(ContainerCondition)
    /// All content of the file is already in this store, as the given block.
    case copyOf(block: String)
    /// The file contains blocks that this store does not have.
    case unknownBlocks
    case placeholder
    case foreign
    /// A bundle, or a file that belongs to bundles.
    case bundle
    case more(Int)
    case lacks(Problem)
    case neverSynced
    case neverRead
  }

  package var subject: String
  package var fact: Fact
  package var isMended = false
}
