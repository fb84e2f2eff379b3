import SeaCore
import SeaEngine

/// The properties that a dry run would load: their kinds, their first values, and how many values are invalid.
final class LoadPreview {
  private struct Property {
    let name: String
    var kinds: [String] = []
    var filled = 0
    var values: [String] = []
    var refused = 0
  }

  private var properties: [Property] = []
  private var places: [String: Int] = [:]
  private var left = 0

  private static let most = 1000
  private static let mostValues = 3
  private static let longest = 40

  init(_ names: [String]) { for name in names { _ = place(of: name) } }

  func see(_ body: UnsafeBufferPointer<UInt8>) throws {
    for (name, value) in try Value.decodeDraft(body).members?.entries ?? [] {
      guard value.kindName != "null", let place = place(of: name) else { continue }
      properties[place].filled += 1
      let kind = value.kindName
      if !properties[place].kinds.contains(kind) { properties[place].kinds.append(kind) }
      guard properties[place].values.count < LoadPreview.mostValues else { continue }
      let text = LoadPreview.text(value)
      if !properties[place].values.contains(text) { properties[place].values.append(text) }
    }
  }

  /// Counts a value that does not fit the type of its column.
  func refuse(_ name: String) { if let place = place(of: name) { properties[place].refused += 1 } }

  func show(_ terminal: Terminal) throws {
    if terminal.options.isForPrograms {
      for one in properties {
        let item: Item = [
          "name": .text(one.name), "kinds": .texts(one.kinds), "filled": .integer(one.filled),
          "values": .texts(one.values), "refused": .integer(one.refused),
        ]
        try terminal.report("column", item, lines: { [] })
      }
      return
    }
    let isRefused = properties.contains { $0.refused > 0 }
    var table = Table(
      [.init("PROPERTY"), .init("KIND"), .init("FILLED", right: true)]
        + (isRefused ? [.init("REFUSED", right: true)] : [])
        + [.init("FIRST VALUES")], terminal)
    for one in properties {
      let kinds = one.kinds.isEmpty ? "-" : one.kinds.joined(separator: " or ")
      try table.row(
        [one.name, kinds, "\(one.filled)"] + (isRefused ? ["\(one.refused)"] : []) + [
          one.values.joined(separator: " | ")
        ])
    }
    try table.end()
    if left > 0 { terminal.notice("only the first \(LoadPreview.most) properties are shown") }
  }

  private func place(of name: String) -> Int? {
    if let place = places[name] { return place }
    guard properties.count < LoadPreview.most else {
      left += 1
      return nil
    }
    places[name] = properties.count
    properties.append(Property(name: name))
    return properties.count - 1
  }

  private static func text(_ value: Value) -> String {
    if case .string(let text) = value { return cut(text) }
    return (try? value.json()).map(cut) ?? "..."
  }

  private static func cut(_ text: String) -> String {
    text.unicodeScalars.count > longest ? String(text.unicodeScalars.prefix(longest)) + "…" : text
  }
}
