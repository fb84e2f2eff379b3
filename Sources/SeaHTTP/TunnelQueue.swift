import SeaContainer
import SeaSystem

/// A queue of requests, which are read while earlier requests are in progress.
final class TunnelQueue: Sendable {
  enum Item {
    case request(Wire.Request, body: [UInt8])
    /// A request with more bytes than should be held in memory. The bytes follow in pieces.
    case large(Wire.Request, size: Int64)
    case piece([UInt8])
    case fault(WireCode)
    case end

    var weight: Int {
      switch self {
      case .request(_, let body): body.count + 128
      case .piece(let bytes): bytes.count
      case .large, .fault, .end: 128
      }
    }
  }

  /// The maximum size of a file that is held in memory, in bytes. Larger files are sent while they are being read.
  static let held: Int64 = 8 << 20
  static let mostWeight = 24 << 20
  private static let mostItems = 4096
  private static let piece = 1 << 18

  private struct State {
    var items: [Item] = []
    var weight = 0
    var isClosed = false
    var isIdle = false
  }

  /// The maximum time to wait for more input, in nanoseconds.
  private static let moment: Int64 = 20_000_000

  private let state = Monitor(State())

  // MARK: Reading

  /// Reads requests until the client says goodbye or closes the connection.
  func read(_ wire: ServerWire) {
    do {
      while let line = try wire.line() {
        guard let request = Wire.Request(line) else {
          let (code, bytes) = Wire.Request.fault(of: line)
          try wire.skip(to: wire.used + bytes)
          guard add(.fault(code)) else { return }
          continue
        }
        let size: Int64 =
          switch request {
          case .put(_, let size), .replace(_, let size): size
          default: 0
          }
        if size > TunnelQueue.held {
          guard add(.large(request, size: size)) else { return }
          try wire.read(size) { (bytes) throws(SystemError) in
            var rest = bytes
            while !rest.isEmpty {
              _ = add(.piece(Array(rest.prefix(TunnelQueue.piece))))
              rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(TunnelQueue.piece))
            }
          }
          continue
        }
        var body: [UInt8] = []
        body.reserveCapacity(Int(size))
        try wire.read(size) { body.append(contentsOf: $0) }
        guard add(.request(request, body: body)), request != .bye else { return }
      }
    } catch {}
    _ = add(.end)
  }

  func setIdle(_ isIdle: Bool) { state.with { $0.isIdle = isIdle } }

  private func add(_ item: Item) -> Bool {
    state.wait { state -> Bool? in
      if state.isClosed { return false }
      let hasRoom =
        state.items.isEmpty || state.weight < TunnelQueue.mostWeight && state.items.count < TunnelQueue.mostItems
      guard hasRoom else { return nil }
      state.items.append(item)
      state.weight += item.weight
      return true
    } ?? false
  }

  // MARK: Working

  /// Waits, for a limited time, until all available input has been read.
  func settle() {
    _ = state.wait(nanoseconds: TunnelQueue.moment) { state in
      let isMuch = state.weight >= Int(TunnelQueue.held) || state.items.count >= TunnelQueue.mostItems / 2
      return state.isIdle || isMuch ? () : nil
    }
  }

  func next() -> Item {
    state.wait { state -> Item? in
      guard let item = state.items.first else { return nil }
      TunnelQueue.remove(1, &state)
      return item
    } ?? .end
  }

  /// Returns, without waiting, the next requests that fit into one HTTP request. Any other item ends the list.
  func more(most: Int, weight: Int) -> [(request: Wire.Request, body: [UInt8])] {
    state.with { state in
      var found: [(request: Wire.Request, body: [UInt8])] = []
      var sum = 0
      for item in state.items {
        guard case .request(let request, let body) = item, TunnelQueue.goesOn(request), found.count < most,
          found.isEmpty || sum + body.count <= weight
        else { break }
        found.append((request, body))
        sum += body.count
      }
      TunnelQueue.remove(found.count, &state)
      return found
    }
  }

  /// Whether a request can be sent together with other requests.
  static func goesOn(_ request: Wire.Request) -> Bool {
    switch request {
    case .await, .bye, .greet: false
    default: true
    }
  }

  var isEmpty: Bool { state.with { $0.items.isEmpty } }

  func close() { state.with { $0.isClosed = true } }

  private static func remove(_ count: Int, _ state: inout State) {
    for item in state.items.prefix(count) { state.weight -= item.weight }
    state.items.removeFirst(count)
  }
}
