import SeaSystem

/// Server-sent events, as HTML says what they are: the names and the data of those that have come. Pure.
package struct EventStream {
  package struct Event: Equatable {
    package var name: String
    package var data: String

    package init(name: String, data: String) { (self.name, self.data) = (name, data) }
  }

  private static let longestLine = 4096
  private let incoming = ByteQueue()
  private var name = ""
  private var data: [String] = []

  package init() {}

  /// Nil for what is none: a line that is too long.
  package mutating func take(_ bytes: UnsafeRawBufferPointer) -> [Event]? {
    incoming.append(bytes)
    var events: [Event] = []
    while let line = incoming.line(most: EventStream.longestLine) {
      let line = line.hasSuffix("\r") ? String(line.unicodeScalars.dropLast()) : line
      if line.isEmpty {
        if !name.isEmpty || !data.isEmpty { events.append(Event(name: name, data: data.joined(separator: "\n"))) }
        (name, data) = ("", [])
        continue
      }
      let field = line.prefix { $0 != ":" }
      var value = line.dropFirst(field.count + 1)
      if value.first == " " { value = value.dropFirst() }
      if field == "event" { name = String(value) }
      if field == "data" { data.append(String(value)) }
      guard data.count <= 16 else { return nil }
    }
    return incoming.count <= EventStream.longestLine ? events : nil
  }
}
