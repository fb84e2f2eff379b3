import SeaSystem

/// A request that was sent, and what has come of it.
final class HelperTicket {
  /// The most bytes that may follow `ok`; nil if none may.
  let most: Int64?
  let lists: Bool
  let greets: Bool
  let trace: HelperTrace?
  let awaits: Bool
  /// How many bytes belong to the request.
  let size: Int64
  var waitsSince: Int64?
  var pathBytes = 0
  var bytes: [UInt8] = []
  /// What was listed; where `names` has taken it in, nothing.
  var files: [WireFile] = []
  /// Takes in what is listed as it comes: a list of all paths would be as large again.
  var names: HelperNames?
  var fileCount = 0
  /// Folders in which something has appeared, as far as it was asked for.
  var news: [String?] = []
  var words: [String] = []
  var outcome: Result<Void, HelperFault>?

  /// - Parameter sorts: whether what is listed is put where it belongs at once.
  init(_ request: Wire.Request, sorts: Bool = false) {
    names = sorts ? HelperNames() : nil
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

  func note(_ file: WireFile) {
    fileCount += 1
    pathBytes += file.path.utf8.count
    if names != nil { names?.note(file) } else { files.append(file) }
  }

  func takeNames() -> HelperNames {
    defer { names = nil }
    return names ?? HelperNames()
  }
}
