import SeaSystem

/// What the trace tells of one request to a helper: its line, how many bytes went with it and came back, and what came of it.
struct HelperTrace {
  private let request: Wire.Request
  private let start = Trace.start()

  init(_ request: Wire.Request) { self.request = request }

  func end(_ ticket: HelperTicket, at place: String) {
    let sent: Int64
    switch request {
    case .put(_, let size), .replace(_, let size): sent = size
    default: sent = 0
    }
    Trace.note(
      "request", since: start,
      [
        ("place", .text(place)), ("request", .text(request.line)), ("answer", .text(HelperTrace.words(ticket.outcome))),
        ("sent", .number(Int(sent))), ("received", .number(ticket.bytes.count)),
      ] + (ticket.fileCount == 0 ? [] : [("files", .number(ticket.fileCount))]))
  }

  private static func words(_ outcome: Result<Void, HelperFault>?) -> String {
    switch outcome {
    case .failure(.refused(let code, _)): "error \(code.rawValue)"
    case .failure: "gone"
    default: "ok"
    }
  }
}
