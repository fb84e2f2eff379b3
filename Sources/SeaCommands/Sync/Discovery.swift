import SeaEngine
import SeaSystem

/// Finds servers that announce themselves on the local network, using `avahi-browse`. Announcements are not trusted:
/// they are validated, limited in size, and only displayed.
package struct Discovery {
  package struct Server: Equatable {
    package var name: String
    package var host: String
    package var port: Int
    package var addresses: [String]
    package var scheme: String

    package init(name: String, host: String, port: Int, addresses: [String], scheme: String) {
      (self.name, self.host, self.port, self.addresses, self.scheme) = (name, host, port, addresses, scheme)
    }

    package var location: String { "\(scheme)://\(host):\(port)" }
  }

  private static let browser = "avahi-browse"
  private static let type = "_sea._tcp"
  /// The time limit in seconds. The browser normally exits earlier.
  private static let limit: Int64 = 15
  /// The limits for the number of bytes read, the number of servers, and the number of addresses per server.
  private static let mostBytes = 1 << 20
  private static let mostServers = 1000
  private static let mostAddresses = 16

  package private(set) var servers: [Server] = []
  package private(set) var isCut = false
  private var line: [UInt8] = []
  private var consumed = 0
  private var complaint = ""

  package init() {}

  /// Searches for servers.
  /// - Throws: `noBrowser` or `browserFailed`.
  static func run(_ session: Session) throws -> (servers: [Server], isWhole: Bool) {
    let folders = (session.host.given("PATH") ?? "").split(separator: ":").map { "\($0)/\(browser)" }
    guard let path = folders.first(where: session.host.isExecutable) else {
      throw RemoteLocationError.noBrowser(browser)
    }
    var program = Program(path: path, arguments: [browser, "-rpt", type])
    program.input = .none
    program.printsToError = true
    program.limit = limit
    try session.terminal.clear()
    var discovery = Discovery()
    let ending: Launch.Ending
    do { ending = try session.host.run(program, { discovery.consume($0) }) } catch let error as SystemError {
      throw CommandError.notStarted(browser, error)
    }
    if ending.isInterrupt { throw ProgramError.interrupted }
    discovery.end()
    guard ending == .exited(0) || ending == .timedOut || !discovery.servers.isEmpty else {
      throw RemoteLocationError.browserFailed(browser, ending.status, discovery.complaint)
    }
    let servers = discovery.servers.sorted { ($0.name, $0.host, $0.port) < ($1.name, $1.host, $1.port) }
    return (servers, ending == .exited(0) && !discovery.isCut)
  }

  // MARK: Output of the browser

  package mutating func consume(_ bytes: UnsafeRawBufferPointer) {
    for byte in bytes {
      consumed += 1
      guard consumed <= Discovery.mostBytes else {
        isCut = true
        return
      }
      if byte == 0x0A { end() } else { line.append(byte) }
    }
  }

  package mutating func end() {
    defer { line = [] }
    guard !line.isEmpty else { return }
    let text = String(decoding: line, as: UTF8.self)
    guard text.hasPrefix("=") || text.hasPrefix("+") || text.hasPrefix("-") else {
      complaint = String(text.prefix(200))
      return
    }
    guard text.hasPrefix("="), let server = Discovery.server(line) else { return }
    let known = servers.firstIndex {
      $0.name == server.name && $0.host == server.host && $0.port == server.port && $0.scheme == server.scheme
    }
    if let known {
      let address = server.addresses[0]
      if servers[known].addresses.contains(address) { return }
      guard servers[known].addresses.count < Discovery.mostAddresses else {
        isCut = true
        return
      }
      servers[known].addresses.append(address)
    } else if servers.count < Discovery.mostServers {
      servers.append(server)
    } else {
      isCut = true
    }
  }

  /// Parses `=;INTERFACE;PROTOCOL;NAME;TYPE;DOMAIN;HOST;ADDRESS;PORT;TEXTS`. Returns nil for an invalid line.
  private static func server(_ line: [UInt8]) -> Server? {
    let fields = line.split(separator: 0x3B, maxSplits: 9, omittingEmptySubsequences: false)
    guard fields.count >= 9, String(decoding: fields[4], as: UTF8.self) == type else { return nil }
    let name = String(decoding: unescaped(fields[3]), as: UTF8.self)
    var host = String(decoding: fields[6], as: UTF8.self).lowercased()
    let address = String(decoding: fields[7], as: UTF8.self)
    let texts = fields.count > 9 ? String(decoding: fields[9], as: UTF8.self) : ""
    guard (1...256).contains(name.utf8.count), isHost(host), isAddress(address),
      let port = Int(String(decoding: fields[8], as: UTF8.self)), (1...65_535).contains(port)
    else { return nil }
    if host.hasSuffix(".") { host.removeLast() }
    let scheme = texts.split(separator: " ").contains("\"scheme=sea+http\"") ? "sea+http" : "sea+https"
    return Server(name: name, host: host, port: port, addresses: [address], scheme: scheme)
  }

  /// Decodes a name in which `\DDD` is a byte in decimal and `\X` is the character X.
  private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
    var result: [UInt8] = []
    var rest = bytes
    while let byte = rest.popFirst() {
      guard byte == 0x5C else {
        result.append(byte)
        continue
      }
      let digits = rest.prefix(3)
      let isNumber = digits.count == 3 && digits.allSatisfy { (0x30...0x39).contains($0) }
      if isNumber, let code = UInt8(String(decoding: digits, as: UTF8.self)) {
        result.append(code)
        rest.removeFirst(3)
      } else if let next = rest.popFirst() {
        result.append(next)
      }
    }
    return result
  }

  private static func isHost(_ text: String) -> Bool {
    (1...255).contains(text.utf8.count) && text.utf8.first != 0x2D
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x61...0x7A, 0x2D, 0x2E: true
        default: false
        }
      }
  }

  private static func isAddress(_ text: String) -> Bool {
    (2...45).contains(text.utf8.count)
      && text.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x46, 0x61...0x66, 0x2E, 0x3A: true
        default: false
        }
      }
  }
}

extension Discovery.Server {
  var item: Item {
    Item(
      event: "server",
      [
        "name": .text(name), "host": .text(host), "port": .integer(port), "address": .text(addresses[0]),
        "addresses": .texts(addresses), "location": .text(location),
      ])
  }
}
