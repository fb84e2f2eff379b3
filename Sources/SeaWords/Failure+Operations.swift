import SeaCore
import SeaEngine

extension Failure {
  static func row(_ fault: OperationFault) -> Failure {
    let list = "see what there is: sea ops"
    switch fault {
    case .notFound(let text): return Failure(.notFound, "there is no operation '\(text)'", hint: list)
    case .ambiguous(let text):
      return Failure(.ambiguous, "'\(text)' means several operations", hint: "give more digits")
    case .nothing: return Failure(.notFound, "there is nothing to undo", hint: "\(list); an undo is undone by its name")
    case .untouched(let id, let operation):
      return Failure(
        .notFound, "\(operation) did nothing to \(id)", hint: "see what it did: sea ops --show=\(operation)",
        ["id": id, "op": operation])
    case .changedSince(let operation, let ids):
      let isOne = ids.count == 1
      return Failure(
        .stale, "\(isOne ? "\(ids[0]) has" : "\(ids.count) records have") changed since \(operation)",
        hint: "see: sea log \(Escape.shellWord(ids[0])); by hand: sea revert RECORD@REV; "
          + "of several records the others are taken back with: --only=RECORD",
        ["op": operation, "id": isOne ? ids[0] : nil],
        lines: isOne ? [] : ids.prefix(20) + (ids.count > 20 ? ["... and \(ids.count - 20) more"] : []))
    }
  }
}
