import SeaCore
import SeaKit
import SeaSystem

/// What the commands that deal with containers share.
extension Context {
  /// The place of a container as settings keep it: a URL as it is, a path from the root.
  func location(_ text: String) throws -> String {
    text.firstRange(of: "://") == nil ? try Path.absolute(path(text)) : text
  }

  /// Something that does not verify: an event under `--json`, else a warning.
  func tell(_ problem: Problem) throws {
    if options.json { return try object(item(problem)) }
    warning(problem.code.rawValue, Failure.words(problem, in: self))
  }

  func item(_ problem: Problem, goodCopy: String? = nil) -> Item {
    Item(
      event: "problem",
      [
        "code": .text(problem.code.rawValue),
        "where": .text(problem.place.isEmpty ? Location.folderName : problem.place),
        "instance": .id(problem.instance), "branch": problem.fork == nil ? .absent : .text(problem.chainText),
        "index": .integer(problem.index), "actual": problem.detail.isEmpty ? .absent : .text(problem.detail),
        "good_copy": .text(goodCopy), "message": .text(Failure.words(problem, in: self)),
      ])
  }
}
