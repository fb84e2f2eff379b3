import SeaCore
import SeaSystem

/// The lines that `sea` and a helper exchange (sea-helpers(5)). `Wire` parses and creates them, without any I/O.
package enum Wire {
  package static let version: Int64 = 1
  package static let greeting = "sea-helper"
  /// The word that a helper includes in its greeting if it can report changes.
  package static let await = "await"
  /// The maximum number of bytes in a line. Longer lines are invalid.
  package static let longestLine = 1024
  /// The maximum number of files in a listing. The next constant limits the total number of bytes in their paths.
  package static let mostFiles = 500_000
  package static let mostPathBytes = 1 << 26

  package static func number(_ text: some StringProtocol) -> Int64? {
    let bytes = text.utf8
    guard (1...18).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
      bytes.count == 1 || bytes.first != 0x30
    else { return nil }
    return Int64(text)
  }

  package enum Request: Equatable, Sendable {
    case greet(version: Int64, words: [String])
    case list(String?)
    case get(String, offset: Int64, count: Int64)
    case put(String, size: Int64)
    case replace(String, size: Int64)
    case move(String, to: String)
    case delete(String)
    case flush
    case await(Int64)
    case bye

    package var line: String {
      switch self {
      case .greet(let version, let words): Wire.greeting(version, words)
      case .list(let folder): "list \(folder.map(WirePath.text) ?? ".")"
      case .get(let path, let offset, let count): "get \(WirePath.text(path)) \(offset) \(count)"
      case .put(let path, let size): "put \(WirePath.text(path)) \(size)"
      case .replace(let path, let size): "replace \(WirePath.text(path)) \(size)"
      case .move(let path, let other): "move \(WirePath.text(path)) \(WirePath.text(other))"
      case .delete(let path): "delete \(WirePath.text(path))"
      case .flush: "flush"
      case .await(let seconds): "await \(seconds)"
      case .bye: "bye"
      }
    }

    package var size: Int64 {
      switch self {
      case .put(_, let size), .replace(_, let size): size
      default: 0
      }
    }

    package init?(_ line: String) {
      let words = Wire.words(line)
      func path(_ at: Int) -> String? { WirePath.path(words[at]) }
      switch (words[0], words.count) {
      case (Wire.greeting, 2...):
        guard let (version, words) = Wire.greeting(words) else { return nil }
        self = .greet(version: version, words: words)
      case ("list", 2) where words[1] == ".": self = .list(nil)
      case ("list", 2):
        guard let folder = path(1) else { return nil }
        self = .list(folder)
      case ("get", 4):
        guard let file = path(1), let offset = number(words[2]), let count = number(words[3]) else { return nil }
        self = .get(file, offset: offset, count: count)
      case ("put", 3), ("replace", 3):
        guard let file = path(1), let size = number(words[2]) else { return nil }
        self = words[0] == "put" ? .put(file, size: size) : .replace(file, size: size)
      case ("move", 3):
        guard let file = path(1), let other = path(2) else { return nil }
        self = .move(file, to: other)
      case ("delete", 2):
        guard let file = path(1) else { return nil }
        self = .delete(file)
      case ("flush", 1): self = .flush
      case ("await", 2):
        guard let seconds = number(words[1]) else { return nil }
        self = .await(seconds)
      case ("bye", 1): self = .bye
      default: return nil
      }
    }

    /// Returns the error for a line that is not a valid request, and the number of bytes that follow the line.
    package static func fault(of line: String) -> (code: WireCode, bytes: Int64) {
      let words = Wire.words(line)
      let known = ["list", "get", "put", "replace", "move", "delete", "flush", "await", "bye", Wire.greeting]
      guard known.contains(words[0]) else { return (.unsupported, 0) }
      let hasBytes = (words[0] == "put" || words[0] == "replace") && words.count == 3
      return (.badRequest, hasBytes ? number(words[2]) ?? 0 : 0)
    }
  }

  private static func words(_ line: String) -> [String] {
    line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
  }

  private static func greeting(_ version: Int64, _ words: [String]) -> String {
    ([greeting, String(version)] + words).joined(separator: " ")
  }

  private static func greeting(_ words: [String]) -> (version: Int64, words: [String])? {
    number(words[1]).map { ($0, Array(words.dropFirst(2))) }
  }

  package enum Answer: Equatable, Sendable {
    case greet(version: Int64, words: [String])
    case file(WireFile)
    case wait
    /// A file has appeared in this folder; nil for the top folder or an unknown folder.
    case news(String?)
    /// Success. The value is the number of bytes that follow the line, if any.
    case ok(Int64?)
    case error(String, String)

    package var line: String {
      switch self {
      case .greet(let version, let words): Wire.greeting(version, words)
      case .file(let file): "file \(file.size) \(file.time) \(WirePath.text(file.path))"
      case .wait: "wait"
      case .news(let folder): "news \(folder.map(WirePath.text) ?? ".")"
      case .ok(let count): count.map { "ok \($0)" } ?? "ok"
      case .error(let code, let text): text.isEmpty ? "error \(code)" : "error \(code) \(text)"
      }
    }

    package init?(_ line: String) {
      let words = Wire.words(line)
      switch (words[0], words.count) {
      case (Wire.greeting, 2...):
        guard let (version, words) = Wire.greeting(words) else { return nil }
        self = .greet(version: version, words: words)
      case ("file", 4):
        guard let size = number(words[1]), let time = number(words[2]), let path = WirePath.path(words[3]) else {
          return nil
        }
        self = .file(WireFile(path: path, size: size, time: time))
      case ("wait", _): self = .wait
      case ("news", 2) where words[1] == ".": self = .news(nil)
      case ("news", 2):
        guard let folder = WirePath.path(words[1]) else { return nil }
        self = .news(folder)
      case ("ok", 1): self = .ok(nil)
      case ("ok", 2):
        guard let count = number(words[1]) else { return nil }
        self = .ok(count)
      case ("error", 2...): self = .error(words[1], words.dropFirst(2).joined(separator: " "))
      default: return nil
      }
    }
  }
}

package struct WireFile: Equatable, Sendable {
  package var path: String
  package var size: Int64
  /// The time of the last change in milliseconds since 1970; 0 if unknown.
  package var time: Int64

  package init(path: String, size: Int64, time: Int64) {
    self.path = path
    self.size = size
    self.time = time
  }
}
