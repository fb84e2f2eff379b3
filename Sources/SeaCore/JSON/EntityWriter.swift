/// Writes records as entities in Datastore's interchange format; see sea-datastore(5).
package struct EntityWriter {
  private let isCompact: Bool

  /// - Parameter isCompact: whether to omit everything that the value already implies.
  package init(isCompact: Bool) { self.isCompact = isCompact }

  package static let datestamps = EntityName.datestamps

  /// - Parameters:
  /// - body: the body of the record; nil if it was purged.
  /// - times: the properties that have changed since their datestamps, with the times of the changes.
  package func write(
    id: String, type: String?, body: UnsafeBufferPointer<UInt8>?, times: [(name: String, time: Int64)] = [],
    into w: inout ByteWriter
  ) throws(CoreError) {
    let properties = try body.map { body throws(CoreError) in try Value.decode(body: body).members ?? Members() }
    var (stamps, others) = EntityWriter.dates(properties ?? Members())
    for (name, time) in times where stamps[name] != nil { stamps[name] = .date(Instant.clamped(time)) }
    var out = JSONOutput(style: .compact)
    out.open(0x7B, &w)
    out.member(EntityName.identifier, id, &w)
    if let type { out.member(EntityName.type, type, &w) }
    for (name, value) in properties?.entries ?? [] {
      var value = value
      if UTF8Text.equal(name, EntityName.datestamps), let others {
        if others.isEmpty { continue }
        value = .dictionary(others)
      }
      out.name(EntityWriter.key(name, value), &w)
      try write(value, stamps[name], &out, &w)
    }
    out.close(0x7D, &w)
  }

  private static func key(_ name: String, _ value: Value) -> String {
    var name = name
    guard name.withUTF8({ EntityName.isTaken($0) }) else { return name }
    if UTF8Text.equal(name, EntityName.datestamp), case .date = value.unlabeled { return name }
    return "$" + name
  }

  /// Separates the datestamps of existing properties from other entries. If any entry is not a date, both are empty.
  private static func dates(_ properties: Members) -> (of: Members, others: Members?) {
    guard let all = properties[EntityName.datestamps]?.members, !all.isEmpty else { return (Members(), nil) }
    var (stamps, others) = (Members(), Members())
    for (name, date) in all.entries {
      guard case .date = date else { return (Members(), nil) }
      if properties[name] == nil || UTF8Text.equal(name, EntityName.datestamps) {
        others.append(name, date)
      } else {
        stamps.append(name, date)
      }
    }
    return (stamps, others)
  }

  private func write(
    _ value: Value, _ stamp: Value?, _ out: inout JSONOutput, _ w: inout ByteWriter
  ) throws(CoreError) {
    let inner = value.unlabeled
    var (kind, role) = (EntityWriter.kind(of: inner), value.semanticType)
    var isWhole = false
    switch inner {
    case .integer where role == EntityKind.double.rawValue, .bigInteger where role == EntityKind.double.rawValue:
      kind = .double
      isWhole = true
    case .string, .integer, .bool, .double, .data: isWhole = role != kind.rawValue
    case .date(let milliseconds): isWhole = role != kind.rawValue && milliseconds % 1000 == 0
    case .reference(_, let what):
      isWhole = role == nil && what != kind.rawValue
      role = role ?? what
    default: break
    }
    let isBare = isCompact && isWhole && role == nil && stamp == nil
    if isBare, kind == .string || kind == .integer || kind == .double { return try plain(inner, kind, &out, &w) }
    out.open(0x7B, &w)
    out.name(kind.rawValue, &w)
    try plain(inner, kind, &out, &w)
    if let role, !isCompact || role != kind.rawValue {
      out.member(EntityName.type, role, &w)
    } else if !isCompact {
      out.member(EntityName.type, kind.rawValue, &w)
    }
    if let stamp, case .date(let milliseconds) = stamp {
      out.member(EntityName.datestamp, Instant.text(milliseconds), &w)
    }
    if !isWhole {
      out.name(EntityName.sea, &w)
      try out.value(value, &w)
    }
    out.close(0x7D, &w)
  }

  private static func kind(of value: Value) -> EntityKind {
    switch value {
    case .integer: .integer
    case .double: .double
    case .bool: .boolean
    case .date: .date
    case .reference: .entity
    case .data: .data
    default: .string
    }
  }

  private func plain(
    _ value: Value, _ kind: EntityKind, _ out: inout JSONOutput, _ w: inout ByteWriter
  ) throws(CoreError) {
    switch value {
    case .integer(let value): w.append(String(value))
    case .bool(let value): w.append(value ? "true" : "false")
    case .string(let text): out.string(text, &w)
    case .reference(let id, _): out.string(id, &w)
    // Datastore does not read fractions of a second.
    case .date(let milliseconds): out.string(Instant.text(milliseconds - ((milliseconds % 1000) + 1000) % 1000), &w)
    default:
      var text = ByteWriter()
      let encoding = value.encoding
      var failure: CoreError?
      encoding.withUnsafeBufferPointer {
        do throws(CoreError) {
          try JSONWriter.writePlain(value: $0, into: &text)
        } catch {
          failure = error
        }
      }
      if let failure { throw failure }
      if kind == .double { w.append(text.bytes) } else { JSONWriter.writeString(text.bytes, into: &w) }
    }
  }
}
