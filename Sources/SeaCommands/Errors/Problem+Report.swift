import SeaEngine

extension Failure {
  /// Describes a problem using shortened ids, and includes its location if requested.
  static func words(_ problem: Problem, in terminal: Terminal, withPlace: Bool = true) -> String {
    let block = problem.instance.map {
      terminal.short($0) + problem.tail + indexSuffix(of: problem)
    }
    return text(problem, block: block, withPlace: withPlace)
  }
}

extension Terminal {
  /// Reports a problem found by verification: as an event with `--json`, otherwise as a warning.
  func report(_ problem: Problem) throws {
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
