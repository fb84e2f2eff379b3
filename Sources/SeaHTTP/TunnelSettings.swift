import SeaContainer
import SeaSystem

/// An error that is reported to the client, so it must not contain secrets.
package struct TunnelFault: Error, Equatable, Sendable {
  package let code: WireCode
  package let text: String

  package init(_ code: WireCode, _ text: String = "") { (self.code, self.text) = (code, text) }

  package var answer: Wire.Answer {
    // The text can come from a server, but the answer must be a single line without control characters.
    let line = String(text.unicodeScalars.map { $0.value < 0x20 || $0.value == 0x7F ? " " : Character($0) })
    return .error(code.rawValue, String(line.prefix(300)))
  }
}

/// Finds the token for a server. The token comes from the environment, a program or a file, and is sent only to the
/// location for which it was configured.
package struct TunnelSettings {
  package var token: String
  /// The path of a file with certificates to trust instead of the system's certificates.
  package var authorities: String?
  package static let authoritiesName = "SEA_CA_FILE"

  package struct Surroundings {
    package var variable: (String) -> String?
    /// Returns the content of a file, and whether other users can read it; nil if the file is missing or unreadable.
    package var file: (String) -> (text: String, isOpen: Bool)?
    /// Returns the first line that a shell command prints for a location; nil if the command fails.
    package var ask: (_ command: String, _ location: String) -> String?

    package init(
      variable: @escaping (String) -> String?, file: @escaping (String) -> (text: String, isOpen: Bool)?,
      ask: @escaping (_ command: String, _ location: String) -> String?
    ) {
      (self.variable, self.file, self.ask) = (variable, file, ask)
    }

    func word(_ name: String) -> String? { variable(name).flatMap { $0.isEmpty ? nil : $0 } }
  }

  package init(_ around: Surroundings, _ location: String) throws(TunnelFault) {
    authorities = around.word(TunnelSettings.authoritiesName)
    token = try TunnelSettings.token(around, location)
    guard (20...200).contains(token.utf8.count), token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
      throw TunnelFault(.denied, "invalid token")
    }
  }

  private static func token(_ around: Surroundings, _ location: String) throws(TunnelFault) -> String {
    if let text = around.word("SEA_TOKEN") { return try token(in: text, of: "SEA_TOKEN", for: location) }
    if let path = around.word("SEA_TOKEN_FILE") {
      return try token(in: try text(of: path, around), of: "'\(path)'", for: location)
    }
    if let command = around.word("SEA_TOKEN_COMMAND") {
      guard let token = around.ask(command, location) else {
        throw TunnelFault(.denied, "SEA_TOKEN_COMMAND printed no token")
      }
      return token
    }
    let home = around.word("XDG_CONFIG_HOME") ?? around.word("HOME").map { $0 + "/.config" }
    let path = (home ?? "") + "/sea/tokens"
    guard around.file(path) != nil else {
      throw TunnelFault(.denied, "no token found: add a line LOCATION TOKEN to \(path)")
    }
    return try token(in: try text(of: path, around), of: "'\(path)'", for: location)
  }

  private static func text(of path: String, _ around: Surroundings) throws(TunnelFault) -> String {
    guard let file = around.file(path) else { throw TunnelFault(.denied, "cannot read '\(path)'") }
    guard !file.isOpen else { throw TunnelFault(.denied, "other users can read '\(path)'; run: chmod 600") }
    return file.text
  }

  private static func token(
    in text: String, of source: String, for location: String
  ) throws(TunnelFault) -> String {
    if let found = token(in: text, for: location) { return found }
    throw TunnelFault(.denied, "\(source) has no line LOCATION TOKEN for \(location)")
  }

  /// Returns a token from lines of the form `LOCATION TOKEN`. If several locations equal or contain the requested
  /// location, the longest one applies.
  package static func token(in text: String, for location: String) -> String? {
    var best: (length: Int, token: String)?
    for line in text.split(whereSeparator: \.isNewline) {
      let words = line.split { $0 == " " || $0 == "\t" }
      guard words.count == 2, words[0].first != "#", let colon = words[0].firstIndex(of: ":"),
        words[0][colon...].hasPrefix("://")
      else { continue }
      let place = String(words[0])
      let isAbove = location == place || location.hasPrefix(place.hasSuffix("/") ? place : place + "/")
      if isAbove, place.utf8.count >= best?.length ?? 0 { best = (place.utf8.count, String(words[1])) }
    }
    return best?.token
  }
}
