import SeaCore

/// An object in a command's output, with named fields in a fixed order. The renderer converts it to JSON, template
/// lines, porcelain lines or table rows.
package struct Item: Sendable, ExpressibleByDictionaryLiteral {
  package private(set) var fields: [(name: String, value: Field)]

  package init(dictionaryLiteral fields: (String, Field)...) { self.fields = fields }

  package init(event: String, _ item: Item) {
    fields = [("event", .string(event))]
    fields += item.fields
  }

  package subscript(name: String) -> Field {
    get { fields.first { $0.name == name }?.value ?? .absent }
    set {
      if let index = fields.firstIndex(where: { $0.name == name }) {
        fields[index].value = newValue
      } else {
        fields.append((name, newValue))
      }
    }
  }

  package mutating func add(_ item: Item) { fields += item.fields }

  func write(_ out: inout JSONOutput, _ w: inout ByteWriter) {
    out.open(0x7B, &w)
    for (name, value) in fields {
      switch value {
      case .absent, .aside: continue
      default:
        out.name(name, &w)
        value.write(&out, &w)
      }
    }
    out.close(0x7D, &w)
  }

  func write(into w: inout ByteWriter) {
    var out = JSONOutput(style: .compact)
    write(&out, &w)
    w.byte(0x0A)
  }

  package var line: [UInt8] {
    var writer = ByteWriter()
    write(into: &writer)
    return writer.array()
  }
}

extension Item: FieldSource {
  package func field(_ name: String) -> Field { self[name] }
}
