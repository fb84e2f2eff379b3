import SeaCore
import SeaEngine
import SeaSystem

// Descriptions of the errors that commands detect.

extension Failure {
  /// Returns the description of any error. An unknown one is a bug of this program.
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
      Failure(
        error.reason.isNoSpace ? .noSpace : .system, "standard output cannot be written: \(error.reason.reason)")
    case let error as ElsewhereFault: row(error)
    default: ofLibrary(error)
    }
  }

  static var blockAtTerminal: Failure {
    Failure(
      .usage, "the bytes of a block are not for a terminal",
      hint: "to read it: sea cat-block --pretty BLOCK; to keep it: sea cat-block BLOCK > FILE")
  }

  static var contentAtTerminal: Failure {
    Failure(.usage, "this content is no text and not for a terminal", hint: "write it into a file, with: >FILE")
  }

  static var bundleAtTerminal: Failure {
    Failure(.usage, "a bundle is not for a terminal", hint: "write it into a file, with: -o FILE")
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
          "names and texts have double quotes, and for a shell all of it single ones: sea put '{\"name\":\"text\"}'"
      }
      return failure
    case .guessedForm(let error):
      var failure = describing(error)
      failure.hint = "it was taken for JSON Lines; of another form: --format=csv, --format=tsv or --format=sqlite"
      return failure
    case .foreignForm(let error, let file):
      var failure = describing(error)
      failure.hint = "a file of another program is taken in with: sea load \(Escape.shellWord(file))"
      return failure
    case .noDocument(let error, let operand):
      var failure = describing(error)
      let key = operand.prefix { $0 != "=" }
      if key.utf8.count < operand.utf8.count, !key.contains("/"), !operand.hasSuffix(".json") {
        failure.hint =
          "a record is JSON or a file of it; of assignments one is made by: sea set --new \(Escape.shellWord(operand))"
        return failure
      }
      failure.hint =
        "a record is JSON or a file of it, and its id is an option: sea put --id=\(Escape.shellWord(operand)) '{…}'"
      return failure
    case .badIndex(let text, .form):
      return Failure(
        .badData, "'\(text)' is no index", hint: "it is written: NAME=TYPE:PATH[,PATH]...; see sea-reindex(1)",
        ["name": text])
    case .badIndex(let name, .name):
      return Failure(
        .badData, "no index can have the name '\(name)'",
        hint:
          "a name has up to 40 letters of ASCII, digits, '-' and '_', a letter first, and is no column that every table has",
        ["name": name])
    case .badIndex(let name, .field):
      return Failure(
        .badData, "'\(name)' is no property: an index is of what records have of their own",
        hint: name == "_id" ? "ids have an index of their own" : "see sea-reindex(1)", ["name": name])
    case .noBackup(let place):
      return Failure(
        .usage, "'\(place)' is no backup: it is no bundle, and has none",
        hint: "of a container a new instance is made with: sea clone \(Escape.shellWord(place))", ["path": place])
    case .badState(let path, let error): return badState(path, error)
    case .databaseGone(let path):
      return Failure(.noDatabase, "the database in '\(path)' has gone; nothing more will be told", ["path": path])
    case .noLines(let error):
      var failure = describing(error)
      failure.hint = "mend it first: what cannot be read is left out only where each record is a line of its own"
      return failure
    case .afterChunks(let error): return CommandError.behind(describing(error))
    case .rejectsIntoInput(let name, let option):
      return Failure(.usage, "\(option.dashed)=\(name) is the input", ["file": name])
    case .byteOrderMark(let name): return CommandError.markBeforeJSON(name)
    case .noText(let name, let file): return file.failure(name)
    case .table(let name, let line, let column, let fault): return CommandError.row(name, line, column, fault)
    case .foreign(let place, let error): return place.failure(error)
    case .tables(let file, let fault): return tables(file, fault)
    case .badJSONValue(let id, let path, let column, let error, let excerpt, let meant):
      return CommandError.json(id, path, column, row(error), excerpt, meant)
    case .emptyInput(let name): return Failure(.badData, "\(name) has no records")
    case .badLine(let name, let line, let fault):
      return Failure(.badData, "\(name):\(line): \(fault.words)", ["file": name], numbers: ["line": line])
    case .inConflict(let id):
      return Failure(.conflict, "\(id) is in conflict", hint: "see: sea conflicts \(Escape.shellWord(id))", ["id": id])
    case .tooMuchToExpand(let id, let most):
      return Failure(
        .badData, "the records that \(id) refers to have more than \(most >> 20) MiB together", ["id": id])
    case .tooManyRecords(let count, let limit, let option, let deletes):
      let what = deletes ? "deleted" : "changed"
      return Failure(.refused, "\(Count(count, "record")) would be \(what), more than \(option.dashed)=\(limit)")
    case .fileExists(let file, let obstacle): return row(file, obstacle)
    case .notConfirmed(let given, let name):
      return Failure(
        .notConfirmed,
        given.map { "'\($0)' is not the name of this instance, nor the databaseID" }
          ?? "what is purged cannot be brought back; nothing was written",
        hint: "to go on: --confirm=\(Escape.shell(name))", ["name": name])
    case .stillReferenced(let id, let sources):
      return Failure(
        .conflict, "\(id) is still referred to by \(sources.prefix(5).joined(separator: " "))",
        hint: "see all of them: sea query --refs-to=\(Escape.shellWord(id)) --ids", ["id": id])
    case .onlyCopy(let name, let blocks):
      guard let blocks else {
        return Failure(
          .partial, "container \(name) cannot be looked at, and may have what is nowhere else",
          hint: "if it is gone for good: sea remove-container --only-copy-is-fine \(Escape.shellWord(name))")
      }
      return Failure(
        .partial, "container \(name) has \(Count(blocks, "block")) that this instance lacks",
        hint:
          "take them in with: sea pull \(Escape.shellWord(name)); or forget it all the same with: --only-copy-is-fine")
    case .onlyAssets(let name, let count):
      return Failure(
        .partial, "container \(name) alone has the content of \(Count(count, "asset"))",
        hint:
          "get it with: sea fetch-assets --history --from=\(Escape.shellWord(name)); or forget it all the same with: "
          + "--only-copy-is-fine")
    case .nothingAt(let path): return Failure(.unreachable, "there is nothing at '\(path)'", ["path": path])
    case .otherDatabaseThere(let path, let lack):
      let words =
        switch lack {
        case .seal: "it is not sealed"
        case .members: "it has no members"
        case .keylessness: "it keeps its keys here"
        case .recoveryKey: "a key of recovery is made with a database, and not later"
        }
      return Failure(
        .incompatible, "there is a database in '\(path)' already, and \(words); nothing was changed",
        hint: "make another one with: sea init NEW; then take over the records with: sea dump | sea -C NEW load",
        ["path": path])
    case .noBundle(let error, let file):
      var failure = describing(error)
      let word = Escape.shellWord(file)
      let put = file.hasSuffix(".json") ? "; one record of JSON also with: sea put \(word)" : ""
      failure.hint = "a database takes in what another program has written with: sea load \(word)\(put)"
      return failure
    case .bundlesElsewhere(let location):
      return Failure(
        .incompatible, "'\(location)' is an exchange directory, not a container",
        hint:
          "copy its bundles into a folder here, then: sea clone FOLDER; a database that has a clone already: sea import \(Escape.shellWord(location))",
        ["location": location])
    case .unopened(let error, let source):
      var failure = describing(error)
      let ask = "who has no passphrase asks to be let in: sea clone --no-input \(Escape.shellWord(source))"
      failure.hint = (failure.hint.map { $0 + "; " } ?? "") + ask
      return failure
    case .noBackupAt(let path):
      return Failure(
        .unreachable, "there is nothing at '\(path)'",
        hint: "a backup is named by its file or its folder; a record is put back with: sea revert RECORD",
        ["path": path])
    case .bundleIntoContainer(let place, let name):
      return Failure(
        .exists,
        "'\(place)' is a container\(name.map { " (\($0))" } ?? ""): bundles go into a folder of their own; nothing was written",
        hint: name.map { "what is new goes there with: sea push \(Escape.shellWord($0))" } ?? "name another folder",
        ["path": place])
    case .noPlaceForBundles(let place):
      return Failure(
        .usage, "'\(place)' is no place for bundles: it is a container, or a single file elsewhere",
        hint: "elsewhere they lie in a folder of their own, which sea export --to and sea import take", ["path": place])
    case .badBlock(let name, let offset, let fault):
      let kind: ErrorKind = fault == .truncated ? .truncated : .corrupt
      return Failure(kind, "\(name): no block that fits at byte \(offset): \(fault.rawValue)", ["file": name])
    case .otherRecord(let have, let want):
      return Failure(.badData, "the document is of record \(have), not of \(want)", ["id": want])
    case .clashes(let paths) where paths.contains(""):
      return Failure(.conflict, "one side deleted the record, and the other changed it")
    case .clashes(let paths):
      return Failure(
        .conflict, "the sides clash at \(Count(paths.count, "path"))",
        hint: "settle it with: --policy=POLICY; or make the files agree there", lines: paths)
    case .noPage(let topic, let similar):
      return Failure(
        .notFound, "no manual page for '\(topic)' was found",
        hint: similar.map { "did you mean: sea help \($0)" } ?? "see the list of commands: sea help")
    case .notServed(let asked):
      return Failure(
        .denied, "this key is for another folder than '\(asked)'",
        hint: "what it is for stands in authorized_keys behind command=")
    case .wordsDiffer(let name):
      return Failure(
        .denied, "the words are not those of \(name): nothing was done",
        hint: "somebody may have put other keys in its place")
    case .wordsNotConfirmed: return Failure(.denied, "not confirmed: nothing was done", hint: "yes is: y")
    case .needsWords:
      return Failure(
        .usage, "the words have to be compared, and there is nobody to ask",
        hint: "give them with: --fingerprint='WORDS'")
    case .programFailed(let name, let status): return Failure(.refused, "'\(name)' ended with status \(status)")
    case .notStarted(let name, let error):
      return Failure(
        .system, "'\(name)' could not be started: \(error.reason)", status: error.isMissing ? .vanished : .notExecutable
      )
    }
  }

  private static func row(_ error: PasswordError) -> Failure {
    let ways = "use --password-file, --password-command or --password-fd"
    switch error {
    case .empty(let source): return Failure(.badPassword, "\(source): the password is empty")
    case .tooLong(let source):
      return Failure(.badPassword, "\(source): the password is longer than \(Surroundings.longestPassword) bytes")
    case .marked(let source):
      return Failure(.badPassword, "\(source): a byte order mark stands before the password; write it without one")
    case .blanks(let source):
      return Failure(.badPassword, "\(source): the password has a blank at one of its ends; write it without it")
    case .noFile(let source, let path, let folder):
      return Failure(
        .system, "\(source): there is no file '\(path)'",
        hint: folder.map { NameHints.folder($0) }, ["path": path])
    case .notTyped: return Failure(.badPassword, "no passphrase was given; nothing was changed")
    case .notRepeated:
      return Failure(.badPassword, "no passphrase was typed twice the same", hint: "run the command again")
    case .noDescriptor(let source):
      return Failure(
        .usage, "\(source) does not name an open file descriptor",
        hint: "open it in the shell: sea --password-fd=3 ... 3<FILE")
    case .badCommand(let source): return Failure(.usage, "\(source) is no command, or a quote is not closed")
    case .none(.open(let place, _)):
      return Failure(.noKey, "the password of \(place) is needed, and there is nobody to ask", hint: ways)
    case .none(.new(let place)):
      return Failure(.usage, "a new password for \(place) is needed, and there is nobody to ask", hint: ways)
    }
  }

  // MARK: Programs of the user

  private static func row(_ error: ProgramError) -> Failure {
    func refused(_ program: String, _ id: String, _ words: String) -> Failure {
      Failure(.refused, "\(id): \(program) \(words)", ["id": id])
    }
    switch error {
    case .unknown(let program, let setting):
      return Failure(
        .notFound, "there is no \(program)", hint: "set \(setting), as sea-config(5) says", ["name": setting])
    case .badSetting(let key, let value, let wanted):
      return Failure(.badData, "\(key): '\(value)' is not \(wanted)", ["name": key])
    case .wrongScope(let name):
      return Failure(
        .usage, "driver '\(name)' merges whole records, and here it would get values",
        hint: "give --driver=\(name), or set driver.\(name).scope to property")
    case .failed(let program, let id, let ending): return refused(program, id, ending.words)
    case .notStarted(let program, let error):
      return Failure(.refused, "\(program) could not be started: \(error.reason)")
    case .noResult(let program, let id, let error): return refused(program, id, "left no result: \(error.reason)")
    case .tooLarge(let program, let id, let limit): return refused(program, id, "left more than \(limit) bytes")
    case .badResult(let program, let id, let error):
      return refused(program, id, "left no good result: \(describing(error).message)")
    case .badText(let error, let kept):
      var failure = describing(error)
      failure.hint =
        "nothing was written; the text is kept: correct it, then give it with: --with=\(Escape.shell(kept))"
      if !failure.details.contains(where: { $0.key == "file" }) { failure.details.append(("file", kept)) }
      return failure
    case .clashesLeft(let id, let paths, let kept):
      return Failure(
        .conflict, "\(id): no choice for \(paths.joined(separator: ", "))",
        hint: "put a value in the place of each $clash" + (kept.map { "; the text is kept: \($0)" } ?? ""),
        ["id": id, "file": kept])
    case .interrupted: return Failure(.interrupted, "interrupted; nothing was written")
    }
  }

  private static func row(_ refusal: HookRefusal) -> Failure {
    Failure(
      .refused, "\(refusal.words); nothing was done", hint: "to do without hooks: --no-hooks", ["hook": refusal.hook])
  }
}
