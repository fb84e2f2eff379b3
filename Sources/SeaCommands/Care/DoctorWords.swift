import SeaEngine
import SeaSystem

extension Check {
  /// One line without a full stop.
  var about: String {
    switch self {
    case .copied: "whether this '.sea' is a copy, or older than it was"
    case .permissions: "who may read keys and change '.sea', settings and hooks"
    case .diskSpace: "whether there is room left, here and in containers"
    case .fileSystem: "whether '.sea' lies where a store is safe"
    case .temporaries: "what commands that died have left in the making"
    case .projection: "whether what is read is what the chains say"
    case .storedKeys: "which keys are kept on this device, and whether they should be"
    case .keyDerivation: "how much work it is to try a passphrase"
    case .clock: "whether this clock and those of others go together"
    case .containers: "whether each container can be reached, and is the one it was"
    case .cloudDebris: "what cloud clients and others have left in containers"
    case .missing: "whether containers lack what they had"
    case .unverified: "whether what lies in containers was ever read back"
    case .hooks: "hooks that are never run"
    }
  }
}

extension Examined {
  /// What was looked at, for people.
  var words: String { looked.map(\.words).joined(separator: ", ") }
}

extension Examined.Looked {
  fileprivate var words: String {
    switch kind {
    case .file: "\(Count(count, "file"))"
    case .place: "\(Count(count, "place"))"
    case .container: "\(Count(count, "container"))"
    case .chain: "\(Count(count, "chain"))"
    case .slot: "\(Count(count, "passphrase slot"))"
    case .hook: "\(Count(count, "hook"))"
    case .machine: count > 0 ? "the id of this machine" : "no id of this machine"
    case .note: count > 0 ? "the note of the last write" : "no note of a last write"
    case .projection: "the projection"
    case .identity: count > 0 ? "the private keys of this instance" : "no private keys of this instance"
    case .epochKey: "\(Count(count, "kept key")) of the content"
    case .guestKey: "\(Count(count, "key")) that nothing vouches for"
    }
  }
}

extension Finding {
  /// The word that programs go by.
  var code: String {
    switch fact {
    case .renewal(let reason): reason.rawValue
    case .open(let right, _, _): "others-\(right.rawValue)"
    case .owned: "foreign-owner"
    case .littleSpace: "little-space"
    case .onNetwork: "network"
    case .smallFiles: "small-files"
    case .hazard(.synchronised): "synchronised"
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

  /// What was found, and what to do.
  func words(_ terminal: Terminal) -> (found: String, advice: String?) {
    switch fact {
    case .renewal, .open, .owned, .littleSpace, .onNetwork, .smallFiles, .hazard, .temporary, .projection: here
    case .noIdentity, .oldKeys, .keptKeys, .weakSlots, .ahead, .setBack: keys
    default: inContainer(terminal)
    }
  }

  private var here: (found: String, advice: String?) {
    switch fact {
    case .renewal(.copied):
      (
        "it is a copy of another '.sea' that is still there",
        "the next write gives it a new name"
      )
    case .renewal(.rolledBack):
      (
        "it is older than it was, as a restored backup is",
        "sea pull, before anything is written"
      )
    case .renewal(.otherMachine):
      (
        "it was used on another machine before",
        "the next write gives it a new name; if it was copied use one of the two"
      )
    case .renewal(.forked): ("another copy has written under its name", "the next write gives it a new name")
    case .renewal: ("it will take a new name", nil)
    case .open(let right, let path, let isFolder):
      (
        "others may \(right == .read ? "read" : isFolder ? "put files into" : "change") it",
        "chmod \(right == .read ? "go-rwx" : "go-w") \(Escape.shellWord(path))"
      )
    case .owned(let owner): ("it belongs to user \(owner)", "look who that is, and chown it")
    case .littleSpace(let free, let need):
      ("\(SizeText.of(free)) left, and \(SizeText.of(need)) may be needed", "free some space")
    case .onNetwork:
      ("it lies on a network share, where locks and lost writes are the server's", "keep '.sea' on a local disk")
    case .smallFiles(let largest):
      (
        "the file system has no rights, and no file larger than \(SizeText.of(largest))",
        "keep '.sea' on another one; containers may lie there"
      )
    case .hazard(.synchronised(let client)):
      ("it lies in a folder of \(client), which tears it apart", "move it out, and put a container there")
    case .hazard(.removable):
      (
        "it lies on a medium that can be pulled out",
        "keep a container there, and '.sea' on the disk"
      )
    case .temporary(let files, let bytes):
      (
        "\(Count(files, "file")) of commands that died, \(SizeText.of(bytes))",
        "what is left cannot be removed from here"
      )
    case .projection(let what):
      (
        "what is read is not what the chains say" + (what.isEmpty ? "" : " (\(what))"),
        "save what can be read with sea dump --history -o FILE, move '.sea' away and clone it anew"
      )
    default: ("", nil)
    }
  }

  private var keys: (found: String, advice: String?) {
    switch fact {
    case .noIdentity:
      (
        "the private keys of this instance are gone, and it can write no more",
        "bring them back from a backup, or clone a container into another folder"
      )
    case .oldKeys(let count):
      ("private keys of \(Count(count, "name")) that this instance had before", "an admin has to let the new name in")
    case .keptKeys(let count):
      ("\(Count(count, "key")) of the content kept, although none was to be", "take away the file 'epochs' there")
    case .weakSlots(let count, let rounds):
      (
        "\(Count(count, "passphrase slot")) with only \(rounds) rounds",
        "sea passwd, with a passphrase of four words or more"
      )
    case .ahead(let time):
      ("its newest block is \(Finding.span(time)) ahead of this clock", "set the clock that is wrong with timedatectl")
    case .setBack(let time):
      ("this clock is \(Finding.span(time)) behind what this instance wrote", "set the clock with timedatectl")
    default: ("", nil)
    }
  }

  private func inContainer(_ terminal: Terminal) -> (found: String, advice: String?) {
    switch fact {
    case .state(.mismatch): ("it is another container, or one of another database", "look what lies there")
    case .state(.arriving): ("it has not arrived as a whole", "let the cloud client finish")
    case .state(.damaged): ("it is damaged", "sea verify \(Escape.shellWord(subject)), then sea push")
    case .state(let state): ("its state is \(state.rawValue)", "sea verify \(Escape.shellWord(subject))")
    case .copyOf(let block): ("its content equals block \(block)", "it can be deleted by hand")
    case .unknownBlocks: ("it has blocks that are not known here", "sea pull, then look again")
    case .placeholder: ("a client has yet to bring it", "let the client finish")
    case .foreign: ("it is no file of sea's", "look what it is, and move it away")
    case .bundle: ("sea export has written it, and it is no part of the container", "move it into a folder of its own")
    case .more(let count): ("\(count) more", "sea verify lists all")
    case .lacks(let problem):
      (Failure.words(problem, in: terminal, withPlace: false), "sea sync \(Escape.shellWord(subject))")
    case .neverSynced: ("nothing was ever exchanged with it", "sea sync \(Escape.shellWord(subject))")
    case .neverRead:
      ("what was written there was not read back yet", "sea sync \(Escape.shellWord(subject)) reads it back")
    default: ("", nil)
    }
  }

  /// A stretch of time for people, whole and rounded down.
  private static func span(_ milliseconds: Int64) -> String {
    let seconds = milliseconds / 1000
    for (length, noun) in [(86_400, "day"), (3600, "hour"), (60, "minute")] where seconds >= Int64(length) {
      return "\(Count(Int(seconds) / length, noun))"
    }
    return "\(Count(Int(seconds), "second"))"
  }
}
