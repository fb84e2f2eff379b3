import SeaContainer
import SeaCore
import SeaSystem

package struct Credentials: Equatable, Sendable {
  package var id: String
  package var secret: String
  package var token: String?
  /// The expiration time in milliseconds since 1970; nil if the credentials do not expire.
  package var ends: Int64?

  package init(id: String, secret: String, token: String? = nil, ends: Int64? = nil) {
    (self.id, self.secret, self.token, self.ends) = (id, secret, token, ends)
  }

  /// Whether the credentials contain only characters that are allowed in HTTP headers.
  package var isSendable: Bool {
    func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }
    return !id.isEmpty && !secret.isEmpty && isPlain(id) && !id.utf8.contains(0x2F) && isPlain(token ?? "")
  }
}

package enum CredentialSource: Equatable, Sendable {
  case fixed(Credentials)
  /// The command line of a program that prints credentials in the format used by the AWS tools.
  case program([String])

  private static let largestAnswer = 1 << 16

  /// - Throws: `WireRefusal`, whose message does not contain the program's output, because that could be secret.
  func credentials() throws(WireRefusal) -> Credentials {
    let found: Credentials
    switch self {
    case .fixed(let credentials): found = credentials
    case .program(let words): found = try CredentialSource.ask(words)
    }
    guard found.isSendable else { throw WireRefusal(.denied, "the access key has invalid characters") }
    return found
  }

  private static func ask(_ words: [String]) throws(WireRefusal) -> Credentials {
    guard let program = words.first else { throw WireRefusal(.denied, "credential_process is empty") }
    var launch = Launch("/bin/sh", ["sh", "-c", "\"$@\" | tr '\\n' ' '", "sh"] + words)
    launch.input = .none
    var answer: (line: [UInt8]?, status: Int32)
    do throws(SystemError) { answer = try launch.answer(limit: largestAnswer) } catch {
      throw WireRefusal(.denied, "cannot start credential_process '\(program)': \(error.reason)")
    }
    defer {
      answer.line.map {
        var line = $0; SecretLine.wipe(&line)
      }
    }
    guard let line = answer.line, let found = parse(String(decoding: line, as: UTF8.self)) else {
      throw WireRefusal(.denied, "credential_process '\(program)' printed no credentials")
    }
    return found
  }

  package static func parse(_ text: String) -> Credentials? {
    guard let value = try? Value.json(text), case .dictionary(let members) = value else { return nil }
    func word(_ name: String) -> String? {
      guard case .string(let text)? = members[name], !text.isEmpty else { return nil }
      return text
    }
    guard case .integer(1)? = members["Version"], let id = word("AccessKeyId"), let secret = word("SecretAccessKey")
    else { return nil }
    return Credentials(
      id: id, secret: secret, token: word("SessionToken"), ends: word("Expiration").flatMap(Stamp.parse))
  }

  /// Splits a command line into words as a shell would; returns nil if a quotation mark is not closed.
  package static func words(_ line: String) -> [String]? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var isEscaped = false
    for character in line {
      if isEscaped {
        word = (word ?? "") + String(character)
        isEscaped = false
      } else if character == "\\", quote != "'" {
        isEscaped = true
      } else if let open = quote {
        if character == open { quote = nil } else { word = (word ?? "") + String(character) }
      } else if character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if character == " " || character == "\t" {
        if let done = word { words.append(done) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard quote == nil, !isEscaped else { return nil }
    return words + (word.map { [$0] } ?? [])
  }
}
