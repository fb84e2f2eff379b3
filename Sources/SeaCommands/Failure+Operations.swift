import SeaKit

extension Failure {
  static func describing(_ fault: OperationFault) -> Failure {
    let list = "see what there is: sea ops"
    switch fault {
    case .notFound(let text): return Failure("not-found", .notFound, "there is no operation '\(text)'", hint: list)
    case .ambiguous(let text):
      return Failure("ambiguous", .notFound, "'\(text)' means several operations", hint: "give more digits")
    case .nothing: return Failure("not-found", .notFound, "there is nothing to undo", hint: list)
    case .untouched(let id, let operation):
      return Failure(
        "not-found", .notFound, "\(operation) did nothing to \(id)",
        hint: "see what it did: sea ops --show=\(operation)", details: [("id", id), ("op", operation)])
    case .changedSince(let operation, let ids):
      var failure = Failure(
        "stale", .conflict,
        ids.count == 1
          ? "\(ids[0]) has changed since \(operation)"
          : "\(ids.count) records have changed since \(operation)",
        hint: "see: sea log \(ids[0]), or name the records to take back with: --only=RECORD",
        details: [("op", operation)] + (ids.count == 1 ? [("id", ids[0])] : []))
      if ids.count > 1 {
        failure.lines = Array(ids.prefix(20)) + (ids.count > 20 ? ["... and \(ids.count - 20) more"] : [])
      }
      return failure
    }
  }
}
