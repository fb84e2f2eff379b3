import Glibc

/// An error that ends the program, with the exit status.
struct Fault: Error {
  enum Kind: Int32 {
    case usage = 2, unreachable = 9, system = 12, badData = 13
    /// A symbolic link leads out of the folder for containers. This value is never used as an exit status.
    case elsewhere = 14
  }

  let kind: Kind
  let text: String

  init(_ kind: Kind, _ text: String) { (self.kind, self.text) = (kind, text) }

  static func system(_ what: String) -> Fault { Fault(.system, "\(what): \(String(cString: strerror(errno)))") }
}

/// The settings described in sea-server(5).
struct Settings: Sendable {
  enum Address: Equatable, Sendable {
    case host(String, port: Int)
    case socket(String)
  }

  var listen = Address.host("127.0.0.1", port: 7325)
  var containers = ""
  var tokens = ""
  var certificate: String?
  var key: String?
  /// The path of the program `sea`; nil to search for the program.
  var sea: String?
  /// The addresses of proxies that are trusted to report their clients' addresses.
  var proxies: Set<String> = []
  var logsRequests = true
  var largestRequest: Int64 = 8 << 30
  /// The maximum number of requests per minute for each token. Other limits per token follow.
  var requestsPerMinute = 1200
  var requestsAtOnce = 8
  var watchersAtOnce = 64
  /// The maximum number of processes for all tokens together. Other limits for all tokens follow.
  var processes = 64
  var watchers = 1024
  var connections = 4096
  /// The maximum number of connections without a token from one address.
  var connectionsPerAddress = 64
  /// The number of seconds within which a connection must send a token.
  var patience = 10
  /// The name to announce on the local network; nil if the server is not announced.
  var announce: String?
  /// The maximum number of requests per minute that one address can send without a valid token.
  var refusalsPerMinute = 30
  /// The time limit in seconds for an idle connection. The next property is the time limit for running requests when
  /// the server ends.
  var idle = 60
  var grace = 60

  init() {}

  init(file path: String) throws(Fault) {
    let text = try TextFile.read(path)
    var seen: Set<String> = []
    for (number, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      let line = TextFile.trimmed(line)
      if line.isEmpty || line.first == "#" { continue }
      func bad(_ what: String) -> Fault { Fault(.badData, "\(path), line \(number + 1): \(what)") }
      guard let equals = line.firstIndex(of: "=") else { throw bad("expected NAME = VALUE") }
      let name = String(TextFile.trimmed(line[..<equals]))
      let value = String(TextFile.trimmed(line[line.index(after: equals)...]))
      guard seen.insert(name).inserted else { throw bad("duplicate setting '\(name)'") }
      guard try set(name, value, path) else { throw bad("invalid value '\(value)' of '\(name)'") }
    }
    if containers.isEmpty { throw Fault(.badData, "\(path): missing setting 'containers'") }
    if tokens.isEmpty { throw Fault(.badData, "\(path): missing setting 'tokens'") }
    guard (certificate == nil) == (key == nil) else {
      throw Fault(.badData, "\(path): 'certificate' and 'key' must be set together")
    }
    if announce != nil, case .socket = listen {
      throw Fault(.badData, "\(path): a server on a Unix socket cannot be announced")
    }
    guard certificate != nil || isNear else {
      throw Fault(.badData, "\(path): without 'certificate' and 'key', only a loopback address is allowed")
    }
  }

  /// Whether the server can be reached only from this machine. For a host name, the value is false, because the name
  /// can resolve to any address.
  private var isNear: Bool {
    guard case .host(let host, _) = listen else { return true }
    var four = in_addr()
    if inet_pton(AF_INET, host, &four) == 1 { return UInt32(bigEndian: four.s_addr) >> 24 == 127 }
    guard let six = Settings.bytes(ofIPv6: host) else { return false }
    return six.last == 1 && six.dropLast().allSatisfy { $0 == 0 }
  }

  /// The 16 bytes of an IPv6 address, without its zone; nil for any other text.
  static func bytes(ofIPv6 text: String) -> [UInt8]? {
    var six = in6_addr()
    guard inet_pton(AF_INET6, String(text.prefix { $0 != "%" }), &six) == 1 else { return nil }
    return withUnsafeBytes(of: six) { Array($0) }
  }

  private mutating func set(_ name: String, _ value: String, _ file: String) throws(Fault) -> Bool {
    let folder = file.contains("/") ? String(file[...file.lastIndex(of: "/")!]) : ""
    func path(_ text: String) -> String { text.hasPrefix("/") ? text : TextFile.absolute(folder + text) }
    func number(_ range: ClosedRange<Int64>) -> Int64? {
      let units: [Character: Int64] = ["K": 1 << 10, "M": 1 << 20, "G": 1 << 30]
      let unit = value.last.flatMap { units[$0] }
      guard let count = Int64(unit == nil ? value[...] : value.dropLast()), count >= 0 else { return nil }
      let (product, isTooLarge) = count.multipliedReportingOverflow(by: unit ?? 1)
      return isTooLarge || !range.contains(product) ? nil : product
    }
    func set(_ field: WritableKeyPath<Settings, Int>, _ range: ClosedRange<Int64>) -> Bool {
      guard let number = number(range) else { return false }
      self[keyPath: field] = Int(number)
      return true
    }
    if value.isEmpty { return false }
    switch name {
    case "listen":
      guard let address = Settings.address(value, path) else { return false }
      listen = address
    case "containers": containers = path(value)
    case "tokens": tokens = path(value)
    case "certificate": certificate = path(value)
    case "key": key = path(value)
    case "sea": sea = path(value)
    case "proxies": proxies = Set(value.split(separator: " ").map(String.init))
    case "log":
      guard ["requests", "faults"].contains(value) else { return false }
      logsRequests = value == "requests"
    case "largest-request":
      guard let number = number(1024...(1 << 50)) else { return false }
      largestRequest = number
    case "requests-per-minute": return set(\.requestsPerMinute, 1...1_000_000)
    case "requests-at-once": return set(\.requestsAtOnce, 1...10_000)
    case "watchers-at-once": return set(\.watchersAtOnce, 1...100_000)
    case "processes": return set(\.processes, 1...10_000)
    case "watchers": return set(\.watchers, 1...1_000_000)
    case "connections": return set(\.connections, 1...1_000_000)
    case "connections-per-address": return set(\.connectionsPerAddress, 1...1_000_000)
    case "patience": return set(\.patience, 1...3_600)
    case "announce":
      guard Announcement.isName(value) else { return false }
      announce = value
    case "refusals-per-minute": return set(\.refusalsPerMinute, 1...1_000_000)
    case "idle": return set(\.idle, 1...86_400)
    case "grace": return set(\.grace, 0...86_400)
    default: throw Fault(.badData, "\(file): unknown setting '\(name)'")
    }
    return true
  }

  private static func address(_ text: String, _ path: (String) -> String) -> Address? {
    if text.hasPrefix("unix:") { return .socket(path(String(text.dropFirst(5)))) }
    guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else { return nil }
    var host = text[..<colon]
    if host.first == "[", host.last == "]" {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : .host(String(host), port: Int(port))
  }
}

enum TextFile {
  static let largest = 16 << 20

  static func read(_ path: String) throws(Fault) -> String {
    let file = open(path, O_RDONLY | O_CLOEXEC)
    guard file >= 0 else { throw Fault.system(path) }
    defer { close(file) }
    var bytes: [UInt8] = []
    var piece = [UInt8](repeating: 0, count: 1 << 16)
    while true {
      let count = Glibc.read(file, &piece, piece.count)
      if count < 0 { throw Fault.system(path) }
      if count == 0 { break }
      bytes += piece[..<count]
      if bytes.count > largest { throw Fault(.badData, "\(path): larger than \(largest) bytes") }
    }
    guard let text = String(validating: bytes, as: UTF8.self) else { throw Fault(.badData, "\(path): not UTF-8") }
    return text
  }

  static func trimmed(_ text: Substring) -> Substring {
    var text = text
    while let first = text.first, first == " " || first == "\t" { text.removeFirst() }
    while let last = text.last, last == " " || last == "\t" || last == "\r" { text.removeLast() }
    return text
  }

  static func absolute(_ path: String) -> String {
    if path.hasPrefix("/") { return path }
    guard let folder = getcwd(nil, 0) else { return path }
    defer { free(folder) }
    return String(cString: folder) + "/" + path
  }
}
