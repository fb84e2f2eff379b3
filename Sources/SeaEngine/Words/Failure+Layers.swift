import SeaCore
import SeaSystem

import SeaContainer
import SeaStore

// The rows for errors of containers, bundles, the store and the system.

extension Failure {
  // MARK: Bundles and containers

  package static func row(_ error: TransferError) -> Failure {
    switch error {
    case .bundle(let name, let error): return row(error, name)
    case .mismatch(let name, let field, let have, let want):
      let what = field == .contentType ? "holds \(have), not \(want)" : "is of database \(have), not \(want)"
      return Failure(.incompatible, "\(name) \(what)", ["file": name, "have": have, "want": want])
    case .baseMissing(let name, let missing):
      let first = missing.first
      let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
      var failure = Failure(
        .baseMissing, "\(name) starts behind blocks that are not here: \(first?.words ?? "")\(more)",
        hint: "import the bundles before it first, or have it written with: sea export --full",
        [
          "file": name, "instance": first.map { String($0.chain.prefix(36)) },
          "branch": first.flatMap { $0.chain.utf8.count > 36 ? $0.chain : nil },
        ], lines: missing.count > 1 ? missing.prefix(20).map(\.words) : [])
      if let first { failure.numbers = [("index", Int(first.index))] }
      return failure
    case .problem(let name, let problem):
      var inner = problem
      inner.place = name
      var failure = row(inner)
      failure.hint = "nothing of it was taken in; see: sea verify \(Escape.shellWord(name))"
      failure.details.append(("file", name))
      return failure
    case .badAsset(let name, let place):
      return Failure(
        .badAsset, "\(name): asset \(place) is not the content that its record names",
        hint: "nothing of it was taken in; without assets: sea import --no-assets", ["file": name, "asset": place])
    case .tooLarge(let name, let size, let most):
      return Failure(
        .noSpace, "\(name) says to hold \(SizeText.of(size)), and at most \(SizeText.of(most)) are taken in",
        hint:
          "nothing was written; if it may be so large: --max-size=\((size + (1 << 20) - 1) >> 20)M, or the setting import.maxSize",
        ["file": name])
    case .noBundles(let path):
      return Failure(
        .unreachable, "there is no bundle in '\(path)'", hint: "a container is attached with: sea add-container",
        ["path": path])
    case .exchangeGone(let path):
      return Failure(
        .unreachable, "exchange directory '\(path)' was used before, and is missing or empty now",
        hint: "plug its drive in; to begin a new one there: sea export --create --to=\(Escape.shellWord(path))",
        ["path": path])
    case .severalDatabases(let path):
      return Failure(
        .ambiguous, "there are bundles of several databases in '\(path)'", hint: "name one of the files",
        ["path": path])
    case .badStart(let text):
      return Failure(
        .usage, "'\(text)' is neither a file nor a time",
        hint: "write a bundle, a file that 'sea heads' has printed, or a time such as 2026-08-22 or 3d")
    }
  }

  package static func row(_ error: BundleError, _ name: String) -> Failure {
    func corrupt(_ text: String, _ kind: ErrorKind = .corrupt) -> Failure {
      Failure(
        kind, "\(name) \(text)", hint: "take another copy of it, or have it written anew with: sea export --verify",
        ["file": name])
    }
    switch error {
    case .notABundle:
      return Failure(.incompatible, "\(name) is not a bundle, or its beginning is damaged", ["file": name])
    case .incompatible(let version):
      return Failure(
        .incompatible, "\(name) is a bundle of format \(version), which this sea does not know", ["file": name])
    case .truncated(let member, let have, let want):
      return corrupt("ends too early: in \(want.map { "\(have) of \($0) bytes of \(member)" } ?? member)", .truncated)
    case .trailing: return corrupt("goes on behind its end")
    case .badHeader(let member): return corrupt("is damaged before \(member)")
    case .badManifest(let line): return corrupt("has a manifest that is wrong in line \(line)")
    case .unexpected(let member): return corrupt("has \(member), which its manifest does not name")
    case .outOfOrder(let member): return corrupt("has \(member) in the wrong place")
    case .missing(let member): return corrupt("lacks \(member), which its manifest names")
    case .wrongSize(let member): return corrupt("has another size of \(member) than its manifest says")
    case .wrongDigest(let member): return corrupt("is damaged in \(member)")
    case .missingVolume(let volume):
      return Failure(
        .missingVolume, "\(name): its part \(volume) is not there", ["file": name, "volume": volume])
    case .incompleteVolume(let volume):
      return Failure(
        .truncated, "\(name): its part \(volume) ends too early", hint: "take another copy of that file",
        ["file": name, "volume": volume])
    case .tooLarge: return corrupt("is larger in some part than a bundle can be")
    case .compression(.damaged): return corrupt("is damaged: it does not decompress")
    case .compression(.feature): return corrupt("is compressed in a way that bundles are not")
    case .differsFromWritten:
      return Failure(
        .corrupt, "\(name) was not on the medium what had been written; it was removed",
        hint: "the medium may be failing: use another one", ["file": name])
    case .noSpace(let needed, let free, let path):
      return Failure(
        .noSpace, "\(name) needs \(SizeText.of(needed)) at '\(path)', and \(SizeText.of(free)) are free",
        hint: "nothing was written; free some space; sea export and sea import leave assets out with --no-assets",
        ["file": name, "path": path])
    case .changedWhileWriting(let member):
      return Failure(
        .corrupt, "\(member) is not what it was when it came here; \(name) was not written", hint: "see: sea verify",
        ["file": name])
    case .system(let error) where error.isMissing && error.call == "open":
      return Failure(.unreachable, "there is nothing at '\(error.path)'", ["path": error.path])
    case .system(let error): return shared(error)
    }
  }

  /// Returns the row for an error in a folder that several users may share.
  private static func shared(_ error: SystemError) -> Failure {
    var failure = row(error)
    if error.isDenied {
      failure.hint =
        "to share the folder with its group, its owner runs: chmod -R g+rwX \(Escape.shellWord(Path.parent(error.path)))"
    }
    return failure
  }

  package static func row(_ error: ContainerError) -> Failure {
    switch error {
    case .notThere(let path): return Failure(.unreachable, "there is nothing at '\(path)'", ["path": path])
    case .notAContainer(let path):
      return Failure(.incompatible, "'\(path)' is not a container (no folder with an info.json)", ["path": path])
    case .exists(let path): return Failure(.usage, "there is a container at '\(path)' already")
    case .badInfo(let fault, let path): return Failure(.corrupt, "'\(path)': \(fault.words)", ["path": path])
    case .incompatible(let version, let path):
      return Failure(
        .incompatible, "'\(path)' is a container of format \(version), which this sea does not know", ["path": path])
    case .differs(let chain, let index, let incomplete):
      let what = incomplete ? "an incomplete file" : "another block"
      return Failure(.corrupt, "the container has \(what) at \(chain)/\(index)")
    case .badBlock(let chain, let index, let fault):
      return Failure(.corrupt, "block \(chain)/\(index) does not verify: \(fault.rawValue)")
    case .badFile(let fault, let path): return Failure(.corrupt, "'\(path)' \(fault.words)", ["path": path])
    case .badAsset(let fault, let path): return Failure(.corrupt, "'\(path)' \(fault.words)", ["path": path])
    case .inTheWay(let path):
      return Failure(.corrupt, "'\(path)' stands where a file of the container belongs", ["path": path])
    case .helper(let fault, let place): return row(fault, place)
    case .system(let error): return shared(error)
    }
  }

  // MARK: The store and the system

  package static func row(_ error: StoreError) -> Failure {
    switch error {
    case .damaged(let what):
      return Failure(
        .corrupt, "the database file is damaged: \(what)",
        hint: "try: sea reindex --projection; if that fails too, save what can be read with: "
          + "sea dump --history -o FILE, move '.sea' away and clone it anew: what was synced is safe")
    case .newer(let version):
      return Failure(
        .incompatible, "the database was written by a newer sea (format \(version))", hint: "use that version")
    case .older(let version):
      return Failure(
        .incompatible, "the database was written by an older sea (format \(version)), which this sea cannot open")
    case .full: return Failure(.noSpace, "no space left for the database", hint: roomNeeded)
    case .readOnly: return Failure(.system, "the database is on a read-only file system or may not be written")
    case .busy: return Failure(.locked, "the database file stayed busy", hint: "wait longer with --lock-wait=120")
    case .io(let what): return Failure(.system, "the database file cannot be used: \(what)")
    case .locked(let text, let milliseconds):
      // The text in the lock file is from its holder: `PID HOST COMMAND`.
      let holder = text.split(whereSeparator: \.isNewline).prefix(1).map { line in
        let parts = line.split(separator: " ", maxSplits: 2)
        return parts.count == 3 ? "pid \(parts[0]) on \(parts[1]): \(parts[2])" : String(line)
      }
      return Failure(
        .locked, "another sea process has been writing for \(milliseconds / 1000) s",
        hint: "wait longer with --lock-wait=120; see it with: sea status --locks", lines: holder)
    case .system(let error): return row(error)
    case .placeTooLong(let path, let most):
      return Failure(
        .system, "a database cannot lie at so long a path (more than \(most) bytes): '\(path)'",
        hint: "take a folder with a shorter path", ["path": path])
    case .missing(let path):
      return Failure(
        .system, "the database file '\(path)' is gone, and its folder is there",
        hint:
          "bring it back from a backup; or move its folder away, which may have the only keys, and clone a container "
          + "anew: what was synced is safe", ["path": path])
    case .replaced(let path):
      return Failure(
        .system, "'\(path)' was moved or replaced while it was in use; nothing was written",
        hint: "run the command again, with what is there now", ["path": path])
    case .defect(let what): return Failure(.bug, "the database refused a statement: \(what)", hint: defect)
    }
  }

  package static func row(_ error: SystemError) -> Failure {
    if let met = error.met {
      let wanted = error.wantsFolder ? "a folder" : "a file"
      return Failure(.system, "'\(error.path)' is \(met.words), not \(wanted)", ["path": error.path])
    }
    if error.isInterruption {
      return Failure(.interrupted, "stopped while waiting for '\(error.path)'", ["path": error.path])
    }
    if error.isChanging { return changed(error.path) }
    let place = error.path.isEmpty ? "" : "\(error.path): "
    return Failure(
      error.isNoSpace ? .noSpace : .system, "\(place)\(error.reason) (\(error.call))",
      hint: error.isNoSpace ? roomNeeded : nil, ["path": error.path])
  }

  package static func changed(_ name: String) -> Failure {
    Failure(
      .fileChanged, "'\(name)' changed while it was read", hint: "try again when nobody writes to it", ["path": name])
  }
}

extension FileKind {
  fileprivate var words: String {
    switch self {
    case .file: "a file"
    case .directory: "a folder"
    case .link: "a symbolic link"
    case .pipe: "a named pipe (FIFO)"
    case .other: "a socket or device"
    }
  }
}

extension MissingBase {
  fileprivate var words: String {
    let place = name.isEmpty ? String(chain.prefix(8)) + branch.tail : name
    guard let have else { return "\(place)/\(index) (here: nothing of it)" }
    return "\(place)/\(index) (here: \(have >= index ? "another block" : "up to \(have)"))"
  }
}

extension SmallFileFault {
  fileprivate var words: String {
    switch self {
    case .name: "has a name that no file of a container has"
    case .tooLarge: "is larger than a file of its kind can be"
    case .differs: "is there already with other bytes"
    }
  }
}

extension AssetFileFault {
  fileprivate var words: String {
    switch self {
    case .differs: "is there already with another size"
    case .tooLarge: "is larger than a file of assets can be"
    case .ended: "ended before its size"
    }
  }
}

extension InfoFault {
  fileprivate var words: String {
    switch self {
    case .tooLong: "info.json is too long"
    case .notJSON: "info.json is not JSON"
    case .duplicateMember: "info.json has a member twice"
    case .missingMember: "info.json lacks a member"
    case .badMember: "a member of info.json has a wrong value"
    case .noProof: "no-proof: info.json does not prove what the databaseID stands for"
    }
  }
}
