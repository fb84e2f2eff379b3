import SeaCore
import SeaSystem

/// The lines that `sea` and a helper exchange: sea-helpers(5). Pure: it says what they mean.
package enum Wire {
  package static let version: Int64 = 1
  package static let greeting = "sea-helper"
  /// A longer line is none.
  package static let longestLine = 1024
  package static let longestPath = 255
  /// So many files are taken in of a listing.
  package static let mostFiles = 4_000_000

  /// Whether a text is a path that may go over the wire: components of letters, digits, `.`, `_`, `~` and `-`, none of them `.`
  /// or `..`, from the top of the container.
  package static func isPath(_ text: some StringProtocol) -> Bool {
    let bytes = text.utf8
    guard (1...longestPath).contains(bytes.count) else { return false }
    var (dots, others) = (0, 0)
    for byte in bytes {
      switch byte {
      case 0x2F:
        guard others > 0 || dots > 2 else { return false }
        (dots, others) = (0, 0)
      case 0x2E: dots += 1
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x5F, 0x7E, 0x2D: others += 1
      default: return false
      }
    }
    return others > 0 || dots > 2
  }

  /// A number without sign or leading zeros.
  package static func number(_ text: some StringProtocol) -> Int64? {
    let bytes = text.utf8
    guard (1...18).contains(bytes.count), bytes.allSatisfy({ (0x30...0x39).contains($0) }),
      bytes.count == 1 || bytes.first != 0x30
    else { return nil }
    return Int64(text)
  }

  /// What one side asks of the other.
  package enum Request: Equatable, Sendable {
    case greet(version: Int64, words: [String])
    /// Nil for the whole container.
    case list(String?)
    case get(String, offset: Int64, count: Int64)
    /// So many bytes follow the line.
    case put(String, size: Int64)
    case replace(String, size: Int64)
    case move(String, to: String)
    case delete(String)
    case flush
    case bye

    package var line: String {
      switch self {
      case .greet(let version, let words): ([greeting, String(version)] + words).joined(separator: " ")
      case .list(let folder): "list \(folder ?? ".")"
      case .get(let path, let offset, let count): "get \(path) \(offset) \(count)"
      case .put(let path, let size): "put \(path) \(size)"
      case .replace(let path, let size): "replace \(path) \(size)"
      case .move(let path, let other): "move \(path) \(other)"
      case .delete(let path): "delete \(path)"
      case .flush: "flush"
      case .bye: "bye"
      }
    }

    /// Nil for a line that is no request.
    package init?(_ line: String) {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      func path(_ at: Int) -> String? { isPath(words[at]) ? words[at] : nil }
      switch (words[0], words.count) {
      case (greeting, 2...):
        guard let version = number(words[1]) else { return nil }
        self = .greet(version: version, words: Array(words.dropFirst(2)))
      case ("list", 2):
        guard words[1] == "." || path(1) != nil else { return nil }
        self = .list(words[1] == "." ? nil : words[1])
      case ("get", 4):
        guard let first = path(1), let offset = number(words[2]), let count = number(words[3]) else { return nil }
        self = .get(first, offset: offset, count: count)
      case ("put", 3):
        guard let first = path(1), let size = number(words[2]) else { return nil }
        self = .put(first, size: size)
      case ("replace", 3):
        guard let first = path(1), let size = number(words[2]) else { return nil }
        self = .replace(first, size: size)
      case ("move", 3):
        guard let first = path(1), let other = path(2) else { return nil }
        self = .move(first, to: other)
      case ("delete", 2):
        guard let first = path(1) else { return nil }
        self = .delete(first)
      case ("flush", 1): self = .flush
      case ("bye", 1): self = .bye
      default: return nil
      }
    }
  }

  /// A line of an answer.
  package enum Answer: Equatable, Sendable {
    case greet(version: Int64, words: [String])
    case file(WireFile)
    /// It is still at work.
    case wait
    /// Done; so many bytes follow the line.
    case ok(Int64?)
    case error(String, String)

    package var line: String {
      switch self {
      case .greet(let version, let words): ([greeting, String(version)] + words).joined(separator: " ")
      case .file(let file): "file \(file.size) \(file.time) \(file.path)"
      case .wait: "wait"
      case .ok(let count): count.map { "ok \($0)" } ?? "ok"
      case .error(let code, let text): text.isEmpty ? "error \(code)" : "error \(code) \(text)"
      }
    }

    /// Nil for a line that is no answer.
    package init?(_ line: String) {
      let words = line.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
      switch (words[0], words.count) {
      case (greeting, 2...):
        guard let version = number(words[1]) else { return nil }
        self = .greet(version: version, words: Array(words.dropFirst(2)))
      case ("file", 4):
        guard let size = number(words[1]), let time = number(words[2]), isPath(words[3]) else { return nil }
        self = .file(WireFile(path: words[3], size: size, time: time))
      case ("wait", _): self = .wait
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

/// A file as a helper lists it.
package struct WireFile: Equatable, Sendable {
  package var path: String
  package var size: Int64
  /// Milliseconds since 1970, 0 where nobody knows.
  package var time: Int64

  package init(path: String, size: Int64, time: Int64) {
    self.path = path
    self.size = size
    self.time = time
  }
}
