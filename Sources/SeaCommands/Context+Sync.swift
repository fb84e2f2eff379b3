import SeaCore
import SeaKit
import SeaSystem

/// What the commands that deal with containers share.
extension Context {
  /// The place of a container as settings keep it: a URL as it is, a path from the root.
  func location(_ text: String) throws -> String {
    text.firstRange(of: "://") == nil ? try Path.absolute(path(text)) : text
  }

  /// The last event of an action.
  func summary(_ status: ExitStatus, _ build: (inout JSONObject) throws -> Void) throws {
    guard options.json else { return }
    try object {
      $0.text("event", "summary")
      $0.flag("ok", status == .success)
      try build(&$0)
      $0.integer("exit", status.rawValue)
    }
  }

  /// Something that does not verify: an event under `--json`, else a warning.
  func tell(_ problem: Problem) throws {
    if options.json {
      try object { describe(problem, goodCopy: nil, in: &$0) }
    } else {
      warning(problem.code.rawValue, Failure.words(problem, in: self))
    }
  }

  /// The keys of a `problem` event.
  func describe(_ problem: Problem, goodCopy: String?, in object: inout JSONObject) {
    object.text("event", "problem")
    object.text("code", problem.code.rawValue)
    object.text("where", problem.place.isEmpty ? Location.folderName : problem.place)
    object.text("instance", problem.instance?.description)
    if problem.fork != nil { object.text("branch", problem.chainText) }
    if let index = problem.index { object.integer("index", index) }
    object.text("actual", problem.detail.isEmpty ? nil : problem.detail)
    object.text("good_copy", goodCopy)
    object.text("message", Failure.words(problem, in: self))
  }

  /// A moment for programs; `-` for never.
  func machine(_ time: Milliseconds?) -> String { time.map { DateStyle.machine($0) } ?? "-" }
}
