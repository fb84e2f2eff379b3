import SeaSystem

/// A request that was sent, and what has come of it.
final class HelperTicket {
  /// The most bytes that may follow `ok`; nil if none may.
  let most: Int64?
  let lists: Bool
  let greets: Bool
  let trace: HelperTrace?
  let awaits: Bool
  var waitsSince: Int64?
  var pathBytes = 0
  var bytes: [UInt8] = []
  var files: [WireFile] = []
  /// Folders in which something has appeared, as far as it was asked for.
  var news: [String?] = []
  var words: [String] = []
  var outcome: Result<Void, HelperFault>?

  init(_ request: Wire.Request) {
    trace = Trace.isOn ? HelperTrace(request) : nil
    if case .await = request { awaits = true } else { awaits = false }
    (most, lists, greets) =
      switch request {
      case .get(_, _, let count): (count, false, false)
      case .list: (nil, true, false)
      case .greet: (nil, false, true)
      default: (nil, false, false)
      }
  }
}
