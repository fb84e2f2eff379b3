import SeaCore
import SeaSystem

import SeaContainer
import SeaStore

extension Failure {
  // MARK: Bundles and containers

  package static func row(_ error: TransferError) -> Failure {
    switch error {
    case .bundle(let name, let error): return row(error, name)
    case .mismatch(let name, let field, let have, let want):
      let what =
        field == .contentType ? "has content type \(have), not \(want)" : "is from database \(have), not \(want)"
      return Failure(.incompatible, "\(name) \(what)", ["file": name, "have": have, "want": want])
    case .baseMissing(let name, let missing):
      let first = missing.first
      let more = missing.count > 1 ? " and \(missing.count - 1) more" : ""
      var failure = Failure(
        .baseMissing, "\(name) requires blocks that are missing here: \(first?.words ?? "")\(more)",
        hint: "import earlier bundles first; or ask for a bundle written with: sea export --full",
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
      failure.hint = "nothing was imported; for details, run: sea verify \(Escape.shellWord(name))"
      failure.details.append(("file", name))
      return failure
    case .badAsset(let name, let place):
      return Failure(
        .badAsset, "\(name): asset \(place) does not match its record",
        hint: "nothing was imported; to import without assets, run: sea import --no-assets",
        ["file": name, "asset": place])
    case .tooLarge(let name, let size, let most):
      return Failure(
        .noSpace, "\(name) unpacks to \(SizeText.of(size)), more than the limit of \(SizeText.of(most))",
        hint:
          "nothing was written; to raise the limit, use --max-size=\((size + (1 << 20) - 1) >> 20)M or the setting import.maxSize",
        ["file": name])
    case .noBundles(let path):
      return Failure(
        .unreachable, "no bundle found in '\(path)'", hint: "to attach a container, run: sea add-container",
        ["path": path])
    case .exchangeGone(let path):
      return Failure(
        .unreachable, "exchange directory '\(path)' is missing or empty, but was used before",
        hint: "connect its drive; to start a new one, run: sea export --create --to=\(Escape.shellWord(path))",
        ["path": path])
    case .severalDatabases(let path):
      return Failure(
        .ambiguous, "'\(path)' contains bundles of several databases", hint: "give one of the files",
        ["path": path])
    case .badStart(let text):
      return Failure(
        .usage, "'\(text)' is neither a file nor a time",
        hint: "use a bundle, the output of 'sea heads' in a file, or a time such as 2026-08-22 or 3d")
    }
  }

  package static func row(_ error: BundleError, _ name: String) -> Failure {
    func corrupt(_ text: String, _ kind: ErrorKind = .corrupt) -> Failure {
      Failure(
        kind, "\(name) \(text)", hint: "use another copy; to write a new bundle, run: sea export --verify",
        ["file": name])
    }
    switch error {
    case .notABundle:
      return Failure(.incompatible, "\(name) is not a bundle, or its beginning is damaged", ["file": name])
    case .incompatible(let version):
      return Failure(.incompatible, "\(name) has unsupported bundle format \(version)", ["file": name])
    case .truncated(let member, let have, let want):
      return corrupt("ends too early: in \(want.map { "\(have) of \($0) bytes of \(member)" } ?? member)", .truncated)
    case .trailing: return corrupt("has data after its end")
    case .badHeader(let member): return corrupt("is damaged before \(member)")
    case .badManifest(let line): return corrupt("has an invalid manifest (line \(line))")
    case .unexpected(let member): return corrupt("has \(member), which is not in its manifest")
    case .outOfOrder(let member): return corrupt("has \(member) in the wrong place")
    case .missing(let member): return corrupt("lacks \(member), which is in its manifest")
    case .wrongSize(let member): return corrupt("has \(member) with a size that differs from its manifest")
    case .wrongDigest(let member): return corrupt("is damaged in \(member)")
    case .missingVolume(let volume):
      return Failure(.missingVolume, "\(name): volume \(volume) is missing", ["file": name, "volume": volume])
    case .incompleteVolume(let volume):
      return Failure(
        .truncated, "\(name): volume \(volume) is truncated", hint: "use another copy of that file",
        ["file": name, "volume": volume])
    case .tooLarge: return corrupt("has a member that is too large for a bundle")
    case .compression(.damaged): return corrupt("is damaged: decompression failed")
    case .compression(.feature): return corrupt("uses an unsupported compression")
    case .differsFromWritten:
      return Failure(
        .corrupt, "\(name) was damaged while it was written; it was removed",
        hint: "the medium may be failing; use another one", ["file": name])
    case .noSpace(let needed, let free, let path):
      return Failure(
        .noSpace, "\(name) needs \(SizeText.of(needed)) at '\(path)', but only \(SizeText.of(free)) are free",
        hint: "nothing was written; free some space; to leave out assets, use --no-assets",
        ["file": name, "path": path])
    case .changedWhileWriting(let member):
      return Failure(
        .corrupt, "\(member) was damaged since it was stored; \(name) was not written",
        hint: "for details, run: sea verify",
        ["file": name])
    case .system(let error) where error.isMissing && error.call == "open":
      return Failure(.unreachable, "'\(error.path)' does not exist", ["path": error.path])
    case .system(let error): return shared(error)
    }
  }

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
    case .missing(let path): return Failure(.unreachable, "'\(path)' does not exist", ["path": path])
    case .notAContainer(let path):
      return Failure(.incompatible, "'\(path)' is not a container (no folder with an info.json)", ["path": path])
    case .exists(let path): return Failure(.usage, "there is already a container at '\(path)'")
    case .badInfo(let fault, let path): return Failure(.corrupt, "'\(path)': \(fault.words)", ["path": path])
    case .incompatible(let version, let path):
      return Failure(.incompatible, "'\(path)' has unsupported container format \(version)", ["path": path])
    case .differs(let chain, let index, let incomplete):
      let what = incomplete ? "an incomplete file" : "another block"
      return Failure(.corrupt, "the container has \(what) at \(chain)/\(index)")
    case .badBlock(let chain, let index, let fault):
      return Failure(.corrupt, "block \(chain)/\(index) is invalid: \(fault.rawValue)")
    case .badFile(let fault, let path): return Failure(.corrupt, "'\(path)' \(fault.words)", ["path": path])
    case .badAsset(let fault, let path): return Failure(.corrupt, "'\(path)' \(fault.words)", ["path": path])
    case .nameTaken(let path):
      return Failure(.corrupt, "'\(path)' is in the way of a file of the container", ["path": path])
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
        hint: "to repair it, run: sea reindex --projection; if that fails, save the records with: "
          + "sea dump --history -o FILE; then move '.sea' away and clone again (synced data is safe)")
    case .newer(let version), .older(let version):
      let text = "the database has unsupported format \(version); use the version of sea that created it"
      return Failure(.incompatible, text)
    case .full: return Failure(.noSpace, "no space left for the database", hint: roomNeeded)
    case .readOnly: return Failure(.system, "the database is not writable")
    case .busy: return Failure(.locked, "the database file is busy", hint: "to wait longer, use --lock-wait=120")
    case .io(let what): return Failure(.system, "cannot use the database file: \(what)")
    case .locked(let text, let milliseconds):
      // The lock file contains text written by the lock holder: `PID HOST COMMAND`.
      let holder = text.split(whereSeparator: \.isNewline).prefix(1).map { line in
        let parts = line.split(separator: " ", maxSplits: 2)
        return parts.count == 3 ? "pid \(parts[0]) on \(parts[1]): \(parts[2])" : String(line)
      }
      return Failure(
        .locked, "another sea process holds the write lock (waited \(milliseconds / 1000) s)",
        hint: "to wait longer, use --lock-wait=120; to show the process, run: sea status --locks", lines: holder)
    case .system(let error): return row(error)
    case .pathTooLong(let path, let most):
      return Failure(
        .system, "the path of the database is too long (more than \(most) bytes): '\(path)'",
        hint: "choose a folder with a shorter path", ["path": path])
    case .missing(let path):
      return Failure(
        .system, "the database file '\(path)' is missing",
        hint:
          "restore it from a backup; or move its folder away (keep it: it may have the only keys) and clone a container "
          + "again (synced data is safe)", ["path": path])
    case .replaced(let path):
      return Failure(
        .system, "'\(path)' was moved or replaced while it was in use; nothing was written",
        hint: "to use the current database, run the command again", ["path": path])
    case .defect(let what): return Failure(.bug, "the database rejected a statement: \(what)", hint: defect)
    }
  }

  package static func row(_ error: SystemError) -> Failure {
    if let met = error.met {
      let wanted = error.wantsFolder ? "a folder" : "a file"
      return Failure(.system, "'\(error.path)' is \(met.words), not \(wanted)", ["path": error.path])
    }
    if error.isInterruption {
      return Failure(.interrupted, "interrupted while waiting for '\(error.path)'", ["path": error.path])
    }
    if error.isChanging { return changed(error.path) }
    let place = error.path.isEmpty ? "" : "\(error.path): "
    return Failure(
      error.isNoSpace ? .noSpace : .system, "\(place)\(error.reason) (\(error.call))",
      hint: error.isNoSpace ? roomNeeded : nil, ["path": error.path])
  }

  package static func changed(_ name: String) -> Failure {
    Failure(
      .fileChanged, "'\(name)' changed while it was read", hint: "try again when no program writes to it",
      ["path": name])
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
    guard let have else { return "\(place)/\(index) (here: none)" }
    return "\(place)/\(index) (here: \(have >= index ? "another block" : "up to \(have)"))"
  }
}

extension SmallFileFault {
  fileprivate var words: String {
    switch self {
    case .name: "has an invalid name"
    case .tooLarge: "is too large for a file of its kind"
    case .differs: "already exists with other content"
    }
  }
}

extension AssetFileFault {
  fileprivate var words: String {
    switch self {
    case .differs: "already exists with another size"
    case .tooLarge: "is too large for an asset file"
    case .ended: "is shorter than expected"
    }
  }
}

extension InfoFault {
  fileprivate var words: String {
    switch self {
    case .tooLong: "info.json is too long"
    case .notJSON: "info.json is not JSON"
    case .duplicateMember: "info.json has a duplicate key"
    case .missingMember: "info.json lacks a key"
    case .badMember: "info.json has an invalid value"
    case .noProof: "no-proof: info.json does not prove the databaseID"
    }
  }
}
