import SeaCore
import SeaEngine
import SeaSystem

// Descriptions of errors that the commands themselves detect.

extension Failure {
  /// Returns the description of any error. An unknown error is a bug in this program.
  package static func describing(_ error: any Error) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let fault as UsageFault: row(fault)
    case let error as CommandError: row(error)
    case let error as PasswordError: row(error)
    case let error as ProgramError: row(error)
    case let refusal as HookRefusal: row(refusal)
    case let error as NoTerminal: error.failure
    case let error as LineTooLong: Failure(.badData, "a line is longer than \(error.limit) bytes")
    case let error as OutputFailure:
      Failure(error.reason.isNoSpace ? .noSpace : .system, "cannot write standard output: \(error.reason.reason)")
    case let error as RemoteLocationError: row(error)
    default: ofLibrary(error)
    }
  }

  static var blockAtTerminal: Failure {
    Failure(
      .usage, "refusing to write a binary block to the terminal",
      hint: "to read the block, run: sea cat-block --pretty BLOCK; to save it, run: sea cat-block BLOCK > FILE")
  }

  static var contentAtTerminal: Failure {
    Failure(.usage, "refusing to write binary content to the terminal", hint: "redirect it to a file: >FILE")
  }

  static var bundleAtTerminal: Failure {
    Failure(.usage, "refusing to write a bundle to the terminal", hint: "to write a file, use -o FILE")
  }

  // MARK: Input and refusals

  private static func row(_ error: CommandError) -> Failure {
    switch error {
    case .input(let name, let line, let column, let error, let excerpt):
      let inner = describing(error)
      var failure = inner.within("\(name):\(line):\(column): \(inner.message)" + (excerpt.map { ": \($0)" } ?? ""))
      failure.details.insert(("file", name), at: 0)
      failure.numbers = [("line", line), ("column", column)]
      if name.hasPrefix("argument "), case CoreError.badJSON(let fault, _) = error,
        [.unexpectedCharacter, .badLiteral, .unexpectedEnd].contains(fault),
        excerpt.map({ !["}", "]", ",", ":"].contains($0) }) ?? true
      {
        failure.hint =
          "quote names and strings with \", and the whole argument with ': sea put '{\"name\":\"text\"}'"
      }
      return failure
    case .guessedForm(let error):
      return describing(error).hinting(
        "the input was read as JSON Lines; for another format, use --format=csv, --format=tsv or --format=sqlite")
    case .foreignKey(let error):
      return describing(error).hinting(
        "to accept keys of another program, use --foreign; to rename keys, use --map, such as --map=_id:code")
    case .foreignForm(let error, let file):
      return describing(error).hinting("to load a file of another program, run: sea load \(Escape.shellWord(file))")
    case .noDocument(let error, let operand):
      let failure = describing(error)
      let key = operand.prefix { $0 != "=" }
      if key.utf8.count < operand.utf8.count, !key.contains("/"), !operand.hasSuffix(".json") {
        return failure.hinting("to create a record from assignments, run: sea set --new \(Escape.shellWord(operand))")
      }
      return failure.hinting("to create a record with this id, run: sea put --id=\(Escape.shellWord(operand)) '{…}'")
    case .badIndex(let text, .form):
      return Failure(
        .badData, "invalid index '\(text)'", hint: "use NAME=TYPE:PATH[,PATH]...; see sea-reindex(1)",
        ["name": text])
    case .badIndex(let name, .name):
      return Failure(
        .badData, "invalid index name '\(name)'",
        hint:
          "use up to 40 ASCII letters, digits, '-' and '_', beginning with a letter; names of built-in columns are reserved",
        ["name": name])
    case .badIndex(let name, .field):
      return Failure(
        .badData, "cannot index '\(name)': it is not a property",
        hint: name == "_id" ? "ids are always indexed" : "see sea-reindex(1)", ["name": name])
    case .noBackup(let place):
      return Failure(
        .usage, "'\(place)' is not a backup: it is not a bundle and contains none",
        hint: "to clone a container, run: sea clone \(Escape.shellWord(place))", ["path": place])
    case .badState(let path, let error): return badState(path, error)
    case .databaseGone(let path):
      return Failure(.noDatabase, "the database in '\(path)' no longer exists", ["path": path])
    case .noLines(let error):
      return describing(error).hinting(
        "correct the input; invalid records can be skipped only if each record is on its own line")
    case .afterChunks(let error): return CommandError.afterWrittenTransactions(describing(error))
    case .rejectsIntoInput(let name, let option):
      return Failure(.usage, "\(option.dashed)=\(name) would overwrite the input", ["file": name])
    case .noText(let name, let file): return file.failure(name)
    case .table(let name, let line, let column, let fault, let cell):
      return CommandError.row(name, line, column, fault, cell)
    case .workbook(let file, let fault): return workbook(file, fault)
    case .foreign(let place, let error): return place.failure(error)
    case .tables(let file, let fault): return tables(file, fault)
    case .badJSONValue(let id, let path, let column, let error, let excerpt, let meant):
      return CommandError.json(id, path, column, row(error), excerpt, meant)
    case .emptyInput(let name): return Failure(.badData, "\(name) contains no records")
    case .badLine(let name, let line, let fault):
      return Failure(.badData, "\(name):\(line): \(fault.words)", ["file": name], numbers: ["line": line])
    case .inConflict(let id):
      return Failure(
        .conflict, "\(id) is in conflict", hint: "to show the conflict, run: sea conflicts \(Escape.shellWord(id))",
        ["id": id])
    case .tooMuchToExpand(let id, let most):
      return Failure(.badData, "the records that \(id) refers to exceed \(most >> 20) MiB in total", ["id": id])
    case .tooManyRecords(let count, let limit, let option, let deletes):
      let what = deletes ? "deleted" : "changed"
      return Failure(.refused, "\(Count(count, "record")) would be \(what), which exceeds \(option.dashed)=\(limit)")
    case .fileExists(let file, let obstacle): return row(file, obstacle)
    case .notConfirmed(let given, let name):
      return Failure(
        .notConfirmed,
        given.map { "'\($0)' is neither the name of this instance nor the databaseID" }
          ?? "purged data cannot be recovered; nothing was written",
        hint: "to confirm, use --confirm=\(Escape.shell(name))", ["name": name])
    case .stillReferenced(let id, let sources):
      return Failure(
        .conflict, "\(id) is still referenced by \(sources.prefix(5).joined(separator: " "))",
        hint: "to list all references, run: sea query --refs-to=\(Escape.shellWord(id)) --ids", ["id": id])
    case .onlyCopy(let name, let blocks):
      guard let blocks else {
        return Failure(
          .partial, "cannot read container \(name), which may hold the only copy of some data",
          hint: "to remove it anyway, run: sea remove-container --only-copy-is-fine \(Escape.shellWord(name))")
      }
      return Failure(
        .partial, "container \(name) has \(Count(blocks, "block")) not stored in this instance",
        hint:
          "to import them, run: sea pull \(Escape.shellWord(name)); to remove the container anyway, use --only-copy-is-fine"
      )
    case .onlyAssets(let name, let count):
      return Failure(
        .partial, "container \(name) has the only known copy of \(Count(count, "asset"))",
        hint:
          "to fetch them, run: sea fetch-assets --history --from=\(Escape.shellWord(name)); to remove the container anyway, use "
          + "--only-copy-is-fine")
    case .nothingAt(let path): return Failure(.unreachable, "'\(path)' does not exist", ["path": path])
    case .databaseLacks(let path, let lack):
      let words =
        switch lack {
        case .seal: "is not encrypted"
        case .members: "has no members"
        case .keylessness: "stores its keys"
        case .recoveryKey: "has no recovery key, which cannot be added later"
        }
      return Failure(
        .incompatible, "the existing database in '\(path)' \(words); nothing was changed",
        hint: "to create another database, run: sea init NEW; to copy the records, run: sea dump | sea -C NEW load",
        ["path": path])
    case .noBundle(let error, let file):
      let word = Escape.shellWord(file)
      let put = file.hasSuffix(".json") ? "; to store one JSON record, run: sea put \(word)" : ""
      return describing(error).hinting("to load a file of another program, run: sea load \(word)\(put)")
    case .bundlesElsewhere(let location):
      return Failure(
        .incompatible, "'\(location)' is an exchange directory, not a container",
        hint:
          "to clone it, copy its bundles to a local folder and run: sea clone FOLDER; to update an existing clone, run: sea import \(Escape.shellWord(location))",
        ["location": location])
    case .unopened(let error, let source):
      var failure = describing(error)
      let ask = "to request access without a passphrase, run: sea clone --no-input \(Escape.shellWord(source))"
      failure.hint = (failure.hint.map { $0 + "; " } ?? "") + ask
      return failure
    case .noBackupAt(let path):
      return Failure(
        .unreachable, "'\(path)' does not exist",
        hint: "give the file or folder of a backup; to restore a record, run: sea revert RECORD",
        ["path": path])
    case .bundleIntoContainer(let place, let name):
      return Failure(
        .exists,
        "'\(place)' is a container\(name.map { " (\($0))" } ?? ""), not a folder for bundles; nothing was written",
        hint: name.map { "to send new transactions to it, run: sea push \(Escape.shellWord($0))" }
          ?? "choose another folder",
        ["path": place])
    case .noPlaceForBundles(let place):
      return Failure(
        .usage, "cannot use '\(place)' for bundles: it is a container or a single remote file",
        hint: "give a remote folder that contains only bundles, as for sea export --to and sea import", ["path": place])
    case .badBlock(let name, let offset, let fault):
      let kind: ErrorKind = fault == .truncated ? .truncated : .corrupt
      return Failure(kind, "\(name): invalid block at byte \(offset): \(fault.rawValue)", ["file": name])
    case .otherRecord(let have, let want):
      return Failure(.badData, "the document is for record \(have), not \(want)", ["id": want])
    case .clashes(let paths) where paths.contains(""):
      return Failure(.conflict, "one side deleted the record and the other changed it")
    case .clashes(let paths):
      return Failure(
        .conflict, "the sides conflict in \(Count(paths.count, "path"))",
        hint: "to resolve them, use --policy=POLICY; or edit the files", lines: paths)
    case .noPage(let topic, let similar):
      return Failure(
        .notFound, "no manual page found for '\(topic)'",
        hint: similar.map { "did you mean: sea help \($0)" } ?? "to list commands, run: sea help")
    case .notServed(let asked):
      return Failure(
        .denied, "this key does not give access to '\(asked)'",
        hint: "the permitted folder is in authorized_keys, after command=")
    case .fingerprintDiffers(let name):
      return Failure(
        .denied, "the fingerprint does not match \(name); nothing was changed",
        hint: "the request may have been forged")
    case .wordsNotConfirmed:
      return Failure(.denied, "the fingerprint was not confirmed; nothing was changed", hint: "to confirm, answer: y")
    case .needsFingerprint:
      return Failure(
        .usage, "cannot prompt for the fingerprint: no terminal",
        hint: "to pass it, use --fingerprint='WORDS'")
    case .programFailed(let name, let status): return Failure(.refused, "'\(name)' failed with status \(status)")
    case .noProgram(let name):
      return Failure(.refused, "the program \(name) is not installed", hint: "install \(name) beside sea or on PATH")
    case .notStarted(let name, let error):
      return Failure(
        .system, "cannot start '\(name)': \(error.reason)", status: error.isMissing ? .vanished : .notExecutable
      )
    }
  }

  private static func row(_ error: PasswordError) -> Failure {
    let ways = "use --password-file, --password-command or --password-fd"
    switch error {
    case .empty(let source): return Failure(.badPassword, "\(source): the passphrase is empty")
    case .tooLong(let source):
      return Failure(.badPassword, "\(source): the passphrase is longer than \(Environment.longestPassword) bytes")
    case .marked(let source): return Failure(.badPassword, "\(source): the passphrase begins with a byte order mark")
    case .blanks(let source): return Failure(.badPassword, "\(source): the passphrase begins or ends with a space")
    case .noFile(let source, let path, let folder):
      return Failure(
        .system, "\(source): file '\(path)' does not exist",
        hint: folder.map { NameHints.folder($0) }, ["path": path])
    case .notTyped: return Failure(.badPassword, "no passphrase given; nothing was changed")
    case .notRepeated: return Failure(.badPassword, "the passphrases do not match")
    case .noDescriptor(let source):
      return Failure(
        .usage, "\(source): the file descriptor is not open",
        hint: "to open it in the shell, use: sea --password-fd=3 ... 3<FILE")
    case .badCommand(let source): return Failure(.usage, "\(source): invalid command, or a quote is not closed")
    case .none(.open(let place, _)):
      return Failure(.noKey, "cannot prompt for the passphrase of \(place): no terminal", hint: ways)
    case .none(.new(let place)):
      return Failure(.usage, "cannot prompt for a new passphrase for \(place): no terminal", hint: ways)
    }
  }

  // MARK: Programs of the user

  private static func row(_ error: ProgramError) -> Failure {
    func refused(_ program: String, _ id: String, _ words: String) -> Failure {
      Failure(.refused, "\(id): \(program) \(words)", ["id": id])
    }
    switch error {
    case .unknown(let program, let setting):
      return Failure(.notFound, "unknown \(program)", hint: "set \(setting); see sea-config(5)", ["name": setting])
    case .badSetting(let key, let value, let wanted):
      return Failure(.badData, "\(key): '\(value)' is not \(wanted)", ["name": key])
    case .wrongScope(let name):
      return Failure(
        .usage, "driver '\(name)' merges whole records, not single values",
        hint: "use --driver=\(name), or set driver.\(name).scope to property")
    case .failed(let program, let id, let ending): return refused(program, id, ending.words)
    case .notStarted(let program, let error): return Failure(.refused, "cannot start \(program): \(error.reason)")
    case .noResult(let program, let id, let error): return refused(program, id, "produced no result: \(error.reason)")
    case .tooLarge(let program, let id, let limit): return refused(program, id, "produced more than \(limit) bytes")
    case .badResult(let program, let id, let error):
      return refused(program, id, "produced an invalid result: \(describing(error).message)")
    case .badText(let error, let kept):
      var failure = describing(error)
      failure.hint =
        "nothing was written; to use your text, correct it and add --with=\(Escape.shell(kept))"
      if !failure.details.contains(where: { $0.key == "file" }) { failure.details.append(("file", kept)) }
      return failure
    case .clashesLeft(let id, let paths, let kept):
      return Failure(
        .conflict, "\(id): unresolved conflicts in \(paths.joined(separator: ", "))",
        hint: "replace each $clash with a value" + (kept.map { "; your text was kept in \($0)" } ?? ""),
        ["id": id, "file": kept])
    case .interrupted: return Failure(.interrupted, "interrupted; nothing was written")
    }
  }

  private static func row(_ refusal: HookRefusal) -> Failure {
    Failure(
      .refused, "\(refusal.words); nothing was changed", hint: "to run no hooks, use --no-hooks", ["hook": refusal.hook]
    )
  }
}
