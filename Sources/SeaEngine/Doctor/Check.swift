/// The checks of `sea doctor`. The names are used on command lines and by programs, so they must never change.
package enum Check: String, CaseIterable, Sendable {
  /// Whether this `.sea` folder is a copy, or has been restored to an older state.
  case copied
  /// Whether other users can read keys or change trusted files.
  case permissions
  /// Whether there is enough disk space to rebuild the store and to add data to containers.
  case diskSpace = "disk-space"
  /// Whether the file system of the `.sea` folder is a risk to the store.
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
  /// Whether data is missing that containers had before.
  case missing
  /// Whether the content of containers has ever been read back.
  case unverified
  /// Whether hooks can run. This check is performed by the program that runs hooks.
  case hooks
}

/// The result of a check: the findings, the number of objects examined, and the objects that could not be examined.
package struct Examined: Sendable {
  package struct ExaminedCount: Sendable, Equatable {
    package enum Kind: String, Sendable {
      case file, place, container, chain, slot, hook, machine, note, projection
      case identity, epochKey, guestKey
    }
    package var kind: Kind
    package var count: Int

    package init(kind: Kind, count: Int) { (self.kind, self.count) = (kind, count) }
  }

  package var findings: [Finding] = []
  package var counts: [ExaminedCount] = []
  /// The objects that could not be examined, and the reasons. The state of these objects is unknown.
  package var unexamined: [(subject: String, reason: any Error)] = []

  /// Containers that are not available, for example because a USB drive is unplugged. This is not a fault, but their
  /// content is unknown.
  package var unavailable: [String] = []

  package init() {}

  package mutating func count(_ kind: ExaminedCount.Kind, _ count: Int = 1) {
    if let at = counts.firstIndex(where: { $0.kind == kind }) {
      counts[at].count += count
    } else {
      counts.append(ExaminedCount(kind: kind, count: count))
    }
  }

  package mutating func find(_ subject: String, _ fact: Finding.Fact) {
    findings.append(Finding(subject: subject, fact: fact))
  }
}

/// A finding that the user should know about and may have to act on.
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
    /// Epoch keys are stored on this device although they should not be.
    case keptKeys(Int)
    case weakSlots(Int, rounds: Int)
    /// The time of another instance's newest block is this many milliseconds in the future.
    case ahead(Int64)
    /// The time of this instance's newest block is this many milliseconds in the future.
    case setBack(Int64)
    case state(ContainerCondition)
    /// The file contains only the given block, which is already in this store.
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
