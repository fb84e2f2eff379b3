/// A file of settings in git's syntax, kept byte for byte so that an edit changes nothing else.
package struct ConfigFile: Sendable {
  package struct Entry: Equatable, Sendable {
    package let key: ConfigKey
    /// Nil for a name without `=`, which means true.
    package let value: String?
    package let line: Int
    /// Where the name begins; where the value, or the name alone, ends; both in `bytes`.
    let start: Int, end: Int
    let nameEnd: Int
  }

  struct Section: Equatable, Sendable {
    let name: String
    let subsection: String?
    /// Behind the line that holds its last entry, or its header.
    var end: Int
  }

  package internal(set) var bytes: [UInt8]
  package internal(set) var entries: [Entry] = []
  var sections: [Section] = []
  /// For messages.
  package let path: String

  package static let limit = 1 << 20

  package init(_ bytes: [UInt8], path: String) throws(ConfigError) {
    self.bytes = bytes
    self.path = path
    var parser = ConfigParser(bytes, path: path)
    try parser.parse()
    entries = parser.entries
    sections = parser.sections
  }

  /// All values of a key, in the order of the file.
  package func values(_ key: ConfigKey) -> [Entry] { entries.filter { $0.key == key } }
}
