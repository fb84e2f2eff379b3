import SeaSystem

extension Check {
  /// A one-line description without a final period.
  package var about: String {
    switch self {
    case .copied: "whether this '.sea' is a copy or out of date"
    case .permissions: "permissions of keys, '.sea', settings and hooks"
    case .diskSpace: "whether there is free space here and in containers"
    case .fileSystem: "whether the file system of '.sea' is safe for a database"
    case .temporaries: "files left behind by interrupted commands"
    case .projection: "whether the local index matches the chains"
    case .storedKeys: "keys that should not be stored on this device"
    case .keyDerivation: "how hard it is to guess a passphrase"
    case .clock: "whether this clock agrees with those of other instances"
    case .containers: "whether each container is available and still the same"
    case .cloudDebris: "files left in containers by cloud clients and other programs"
    case .missing: "whether files have disappeared from containers"
    case .unverified: "whether written containers were ever read back"
    case .hooks: "hooks that never run"
    }
  }
}

extension Examined {
  package var words: String { counts.map(\.words).joined(separator: ", ") }
}

extension Examined.ExaminedCount {
  fileprivate var words: String {
    switch kind {
    case .file: "\(Count(count, "file"))"
    case .place: "\(Count(count, "place"))"
    case .container: "\(Count(count, "container"))"
    case .chain: "\(Count(count, "chain"))"
    case .slot: "\(Count(count, "passphrase"))"
    case .hook: "\(Count(count, "hook"))"
    case .machine: count > 0 ? "the id of this machine" : "no id of this machine"
    case .note: count > 0 ? "the note of the last write" : "no note of a last write"
    case .projection: "the local index"
    case .identity: count > 0 ? "the private keys of this instance" : "no private keys of this instance"
    case .epochKey: "\(Count(count, "stored content key"))"
    case .guestKey: "\(Count(count, "unconfirmed key"))"
    }
  }
}

extension Finding {
  package var code: String {
    switch fact {
    case .renewal(let reason): reason.rawValue
    case .open(let right, _, _): "others-\(right.rawValue)"
    case .owned: "foreign-owner"
    case .littleSpace: "little-space"
    case .onNetwork: "network"
    case .smallFiles: "small-files"
    case .hazard(.synchronized): "synchronized"
    case .hazard(.removable): "removable"
    case .temporary: "temporary"
    case .projection: "projection"
    case .noIdentity: "no-key"
    case .oldKeys: "old-keys"
    case .keptKeys: "kept-keys"
    case .weakSlots: "weak"
    case .ahead: "ahead"
    case .setBack: "set-back"
    case .state(let state): state.rawValue
    case .copyOf: "copy"
    case .unknownBlocks: "unknown-blocks"
    case .placeholder: "placeholder"
    case .foreign: "foreign-file"
    case .bundle: "bundle"
    case .more: "more"
    case .lacks(let problem): problem.code.rawValue
    case .neverSynced: "never-synced"
    case .neverRead: "never-read"
    }
  }

  /// - Parameter describe: describes a problem without its location.
  package func words(_ describe: (Problem) -> String) -> (found: String, advice: String?) {
    switch fact {
    case .renewal, .open, .owned, .littleSpace, .onNetwork, .smallFiles, .hazard, .temporary, .projection: here
    case .noIdentity, .oldKeys, .keptKeys, .weakSlots, .ahead, .setBack: keys
    default: inContainer(describe)
    }
  }

  private var here: (found: String, advice: String?) {
    switch fact {
    case .renewal(.copied):
      (
        "it is a copy of another '.sea' that still exists",
        "the next write gives it a new name"
      )
    case .renewal(.rolledBack):
      (
        "it is older than before, like a restored backup",
        "before you write anything, run: sea pull"
      )
    case .renewal(.otherMachine):
      (
        "it was used on another machine before",
        "the next write gives it a new name; if it was copied, use only one of the two"
      )
    case .renewal(.forked): ("another copy has written under its name", "the next write gives it a new name")
    case .renewal: ("it will take a new name", nil)
    case .open(let right, let path, let isFolder):
      (
        "other users can \(right == .read ? "read" : isFolder ? "add files to" : "change") it",
        "chmod \(right == .read ? "go-rwx" : "go-w") \(Escape.shellWord(path))"
      )
    case .owned(let owner): ("it belongs to user \(owner)", "check the owner, and change it with chown")
    case .littleSpace(let free, let need):
      ("\(SizeText.of(free)) free, but up to \(SizeText.of(need)) needed", "free some space")
    case .onNetwork:
      ("it is on a network share, where locks and completed writes are not reliable", "keep '.sea' on a local disk")
    case .smallFiles(let largest):
      (
        "the file system has no permissions, and no files larger than \(SizeText.of(largest))",
        "move '.sea' to another file system; containers can stay"
      )
    case .hazard(.synchronized(let client)):
      ("it is in a folder of \(client), which damages it", "move it elsewhere, and use a container there")
    case .hazard(.removable):
      (
        "it is on a removable medium",
        "move '.sea' to the disk, and use a container on the medium"
      )
    case .temporary(let files, let bytes):
      (
        "\(Count(files, "file")) of interrupted commands, \(SizeText.of(bytes))",
        "the other files cannot be removed by this user"
      )
    case .projection(let what):
      (
        "the local index does not match the chains" + (what.isEmpty ? "" : " (\(what))"),
        "save the readable data with sea dump --history -o FILE, move '.sea' away and clone again"
      )
    default: ("", nil)
    }
  }

  private var keys: (found: String, advice: String?) {
    switch fact {
    case .noIdentity:
      (
        "the private keys of this instance are missing, so it cannot write",
        "restore them from a backup, or clone a container into another folder"
      )
    case .oldKeys(let count):
      ("private keys of \(Count(count, "earlier name")) of this instance", "an admin must authorize the new name")
    case .keptKeys(let count):
      ("\(Count(count, "content key")) stored, although none should be", "remove the file 'epochs' there")
    case .weakSlots(let count, let rounds):
      (
        "\(Count(count, "passphrase")) with only \(rounds) rounds",
        "to set a passphrase of four words or more, run: sea passwd"
      )
    case .ahead(let time):
      ("its newest block is \(Finding.span(time)) ahead of this clock", "set the wrong clock with timedatectl")
    case .setBack(let time):
      ("this clock is \(Finding.span(time)) behind the last write of this instance", "set the clock with timedatectl")
    default: ("", nil)
    }
  }

  private func inContainer(_ describe: (Problem) -> String) -> (found: String, advice: String?) {
    switch fact {
    case .state(.mismatch): ("it is another container or belongs to another database", "check its location")
    case .state(.incomplete): ("it is incomplete", "wait for the cloud client to finish")
    case .state(.damaged): ("it is damaged", "run sea verify \(Escape.shellWord(subject)), then sea push")
    case .state(let state): ("its state is \(state.rawValue)", "sea verify \(Escape.shellWord(subject))")
    case .copyOf(let block): ("it has the same content as block \(block)", "you can delete it")
    case .unknownBlocks: ("it has blocks that are not known here", "run sea pull, then sea doctor again")
    case .placeholder: ("a cloud client has not downloaded it yet", "wait for the client to finish")
    case .foreign: ("it is not a file of sea", "check it, and move it elsewhere")
    case .bundle: ("it is a bundle written by sea export, not a part of the container", "move it to another folder")
    case .more(let count): ("\(count) more", "to list all, run: sea verify")
    case .lacks(let problem):
      (describe(problem), "sea sync \(Escape.shellWord(subject))")
    case .neverSynced: ("it was never synced", "sea sync \(Escape.shellWord(subject))")
    case .neverRead:
      ("the content written there was never read back", "to read it back, run: sea sync \(Escape.shellWord(subject))")
    default: ("", nil)
    }
  }

  private static func span(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    for (length, noun) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds >= Int64(length) {
      return "\(Count(Int(seconds) / length, noun))"
    }
    return "\(Count(Int(seconds), "second"))"
  }
}
