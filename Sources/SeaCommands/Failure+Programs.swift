import SeaCore
import SeaSystem

extension Failure {
  static func describing(_ error: ProgramError) -> Failure {
    func refused(_ program: String, _ id: String, _ words: String) -> Failure {
      Failure("refused", .refused, "\(id): \(program) \(words)", details: [("id", id)])
    }
    switch error {
    case .unknown(let program, let setting):
      return Failure(
        "not-found", .notFound, "there is no \(program)", hint: "set \(setting), as sea-config(5) says",
        details: [("name", setting)])
    case .badSetting(let key, let value, let wanted):
      return Failure("bad-data", .badData, "\(key): '\(value)' is not \(wanted)", details: [("name", key)])
    case .wrongScope(let name):
      return Failure(
        "usage", .usage, "driver '\(name)' merges whole records, and here it would get values",
        hint: "give --driver=\(name), or set driver.\(name).scope to property")
    case .failed(let program, let id, let ending): return refused(program, id, words(ending))
    case .notStarted(let program, let error):
      return Failure("refused", .refused, "\(program) could not be started: \(error.reason)")
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
      var failure = Failure(
        "conflict", .conflict, "\(id): no choice for \(paths.joined(separator: ", "))",
        hint: "put a value in the place of each $clash" + (kept.map { "; the text is kept: \($0)" } ?? ""),
        details: [("id", id)])
      if let kept { failure.details.append(("file", kept)) }
      return failure
    case .interrupted: return Failure("interrupted", .interrupted, "interrupted; nothing was written")
    }
  }

  private static func words(_ ending: Launch.Ending) -> String {
    switch ending {
    case .exited(let status): "ended with status \(status)"
    case .signalled(let signal): "was ended by signal \(signal)"
    case .timedOut: "took too long"
    }
  }

  static func describing(_ refusal: HookRefusal) -> Failure {
    Failure(
      "refused", .refused, "\(words(refusal)); nothing was done", hint: "to do without hooks: --no-hooks",
      details: [("hook", refusal.hook)])
  }

  static func words(_ refusal: HookRefusal) -> String {
    switch refusal.reason {
    case .ending(.timedOut, let seconds): "hook '\(refusal.hook)' took longer than \(seconds) s and was ended"
    case .ending(let ending, _): "hook '\(refusal.hook)' \(words(ending))"
    case .notStarted(let error): "hook '\(refusal.hook)' could not be started: \(error.reason)"
    }
  }
}
