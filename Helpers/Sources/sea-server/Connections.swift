import HummingbirdCore
import Logging
import NIOConcurrencyHelpers
import NIOCore

/// The open connections. A connection without a valid token is closed after a few seconds, or earlier if there are too
/// many such connections from its address or in total. Therefore, a client with a token can always connect.
final class Connections: Sendable {
  private struct Entry {
    let door: Door
    let number: UInt64
    /// The client's address; nil for a proxy or a Unix socket, which many clients share.
    let address: String?
    var end: Scheduled<Void>?
  }

  private struct State {
    var known: Set<ObjectIdentifier> = []
    var unknown: [ObjectIdentifier: Entry] = [:]
    var order: [UInt64: ObjectIdentifier] = [:]
    /// The numbers of the connections without a valid token, keyed by address, in ascending order.
    var addresses: [String: [UInt64]] = [:]
    var next: UInt64 = 0
    var oldest: UInt64 = 0

    mutating func forget(_ id: ObjectIdentifier) -> Entry? {
      guard let entry = unknown.removeValue(forKey: id) else { return nil }
      order[entry.number] = nil
      if let address = entry.address {
        addresses[address]?.removeAll { $0 == entry.number }
        if addresses[address]?.isEmpty ?? false { addresses[address] = nil }
      }
      entry.end?.cancel()
      return entry
    }

    mutating func forgetOldest() -> Entry? {
      while oldest < next {
        if let id = order[oldest] { return forget(id) }
        oldest += 1
      }
      return nil
    }
  }

  private let settings: Settings
  private let state = NIOLockedValueBox(State())

  init(_ settings: Settings) { self.settings = settings }

  var now: (known: Int, unknown: Int) { state.withLockedValue { ($0.known.count, $0.unknown.count) } }

  func open(_ channel: any Channel, _ door: Door) -> Bool {
    let id = ObjectIdentifier(channel)
    let address = channel.remoteAddress.flatMap(Connections.key).flatMap { settings.proxies.contains($0) ? nil : $0 }
    var leaving: [Entry] = []
    let hasRoom = state.withLockedValue { state in
      if let address, let numbers = state.addresses[address], numbers.count >= settings.connectionsPerAddress,
        let first = state.order[numbers[0]], let entry = state.forget(first)
      {
        leaving.append(entry)
      }
      let isFull = state.known.count + state.unknown.count >= settings.connections
      if isFull || state.unknown.count >= max(1, settings.connections / 2), let entry = state.forgetOldest() {
        leaving.append(entry)
      }
      guard state.known.count + state.unknown.count < settings.connections else { return false }
      let number = state.next
      state.next += 1
      let end = channel.eventLoop.scheduleTask(in: .seconds(Int64(settings.patience))) { [weak self] in
        if self?.state.withLockedValue({ $0.forget(id) }) != nil { door.shut() }
      }
      state.unknown[id] = Entry(door: door, number: number, address: address, end: end)
      state.order[number] = id
      if let address { state.addresses[address, default: []].append(number) }
      return true
    }
    for entry in leaving { entry.door.shut() }
    guard hasRoom else { return false }
    channel.closeFuture.whenComplete { [weak self] _ in
      self?.state.withLockedValue { state in
        state.known.remove(id)
        _ = state.forget(id)
      }
    }
    return true
  }

  func isKnown(_ channel: any Channel) {
    let id = ObjectIdentifier(channel)
    state.withLockedValue { state in if state.forget(id) != nil { state.known.insert(id) } }
  }

  /// Returns the key by which connections are counted: an IPv4 address, or the first half of an IPv6 address; nil for a
  /// Unix socket.
  private static func key(_ address: SocketAddress) -> String? {
    guard let text = address.ipAddress else { return nil }
    guard case .v6 = address, let bytes = Settings.bytes(ofIPv6: text) else { return text }
    let isMapped = bytes.prefix(10).allSatisfy { $0 == 0 } && bytes[10] == 0xFF && bytes[11] == 0xFF
    // The first half does not identify a client if the address is on this machine or the local link.
    let isNear = bytes.prefix(8).allSatisfy { $0 == 0 } || bytes[0] == 0xFE
    return isMapped || isNear ? text : Grant.hex(Array(bytes.prefix(8)))
  }
}

/// The first handler of a connection, which can close the connection without waiting for the TLS session to end.
final class Door: ChannelInboundHandler, Sendable {
  typealias InboundIn = ByteBuffer

  private let channel: any Channel

  init(_ channel: any Channel) { self.channel = channel }

  func shut() {
    channel.eventLoop.execute { [self] in
      guard let context = try? channel.pipeline.syncOperations.context(handler: self) else {
        return channel.close(promise: nil)
      }
      context.close(promise: nil)
    }
  }
}

/// Refuses connections above the limit before any other work, such as the TLS handshake, is done for them.
struct CountedChannel<Base: ServerChildChannel>: ServerChildChannel {
  private struct Full: Error {}

  let base: Base
  let connections: Connections

  func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Base.Value> {
    let door = Door(channel)
    return channel.eventLoop.makeCompletedFuture {
      guard connections.open(channel, door) else {
        channel.close(promise: nil)
        throw Full()
      }
      try channel.pipeline.syncOperations.addHandler(door)
    }.flatMap { base.setup(channel: channel, logger: logger) }
  }

  func handle(value: Base.Value, logger: Logger) async { await base.handle(value: value, logger: logger) }
}
