import SeaSystem

final class HelperTicket {
  /// The maximum number of bytes that can follow `ok`; nil if no bytes are allowed.
  let most: Int64?
  let lists: Bool
  let greets: Bool
  let trace: HelperTrace?
  let awaits: Bool
  let size: Int64
  var waitsSince: Int64?
  var pathBytes = 0
  var bytes: [UInt8] = []
  var files: [WireFile] = []
  /// Collects the listed files as they arrive, because a separate list of all paths would double the memory used.
  var names: ContainerNames?
  var fileCount = 0
  var news: [String?] = []
  var words: [String] = []
  var outcome: Result<Void, HelperFault>?

  /// - Parameter sorts: whether to collect listed files in `names`.
  init(_ request: Wire.Request, sorts: Bool = false) {
    names = sorts ? ContainerNames() : nil
    trace = Trace.isOn ? HelperTrace(request) : nil
    if case .await = request { awaits = true } else { awaits = false }
    switch request {
    case .put(_, let count), .replace(_, let count): size = count
    default: size = 0
    }
    (most, lists, greets) =
      switch request {
      case .get(_, _, let count): (count, false, false)
      case .list: (nil, true, false)
      case .greet: (nil, false, true)
      default: (nil, false, false)
      }
  }

  func add(_ file: WireFile) {
    fileCount += 1
    pathBytes += file.path.utf8.count
    if names != nil { names?.add(file) } else { files.append(file) }
  }

  func drainNames() -> ContainerNames {
    defer { names = nil }
    return names ?? ContainerNames()
  }
}

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
    Trace.record(
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
