/// What a doctor looks at. The names are for command lines and programs, and stay.
package enum Check: String, CaseIterable, Sendable {
  /// Whether this `.sea` is a copy, or was put back to an older state.
  case copied
  /// Whether others may read keys, or change what is believed.
  case permissions
  /// Whether there is room for the store to be made anew, and for more in containers.
  case diskSpace = "disk-space"
  /// Whether `.sea` lies where a store is in danger.
  case fileSystem = "file-system"
  /// What programs that died have left in the making.
  case temporaries
  /// Whether what is read is what the chains say.
  case projection
  /// Which keys are kept on this device.
  case storedKeys = "stored-keys"
  /// Whether passphrases are stretched as they are today.
  case keyDerivation = "key-derivation"
  /// The clock of this device beside those of others.
  case clock
  /// Whether containers can be reached.
  case containers
  /// What cloud clients and others have left among the files of containers.
  case cloudDebris = "cloud-debris"
  /// Whether containers lack what they had.
  case missing
  /// Whether what lies in containers was ever read back.
  case unverified
  /// Whether hooks are run. Whoever runs them looks.
  case hooks
}

/// What a check has come to: what it found, what it has looked at, and what it could not look at.
package struct Examined: Sendable {
  /// So many things of one kind.
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
  /// What could not be looked at, and why. Then nobody knows that it is well.
  package var blind: [(subject: String, reason: any Error)] = []

  /// Containers that are not at hand, as a stick in a drawer. That is no fault, and what lies in them is not known.
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

/// Something that somebody should know of, and may have to do something about.
package struct Finding: Sendable {
  /// Who may do what he should not.
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
    /// The private keys of this instance are not there.
    case noIdentity
    /// Private keys of names that were given up.
    case oldKeys(Int)
    /// Keys of epochs are kept, and were not to be.
    case keptKeys(Int)
    case weakSlots(Int, rounds: Int)
    /// Another instance's newest block says a time that is not yet, by so many milliseconds.
    case ahead(Int64)
    /// So does this instance's own.
    case setBack(Int64)
    case state(ContainerCondition)
    /// All that is in the file lies here as this block.
    case copyOf(block: String)
    /// It has blocks that are not known here.
    case unknownBlocks
    /// A cloud client has yet to bring what belongs there.
    case placeholder
    case foreign
    /// A bundle, or what goes with bundles.
    case bundle
    case more(Int)
    case lacks(Problem)
    case neverSynced
    case neverRead
  }

  package var subject: String
  package var fact: Fact
  /// Whether it was put right.
  package var isMended = false
}
