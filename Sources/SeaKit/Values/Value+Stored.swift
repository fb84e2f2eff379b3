internal import SeaCore

// Between what programs see and what is stored.

extension Value {
  init(stored: SeaCore.Value) {
    self =
      switch stored {
      case .null: .null
      case .bool(let value): .bool(value)
      case .integer(let value): .integer(value)
      case .bigInteger(let value): .bigInteger(BigInteger(value))
      case .double(let value): .double(value)
      case .decimal(let value): .decimal(ExactDecimal(value))
      case .string(let value): .string(value)
      case .date(let value): .date(Timestamp(milliseconds: value))
      case .data(let value): .data(value)
      case .array(let values): .array(values.map { Value(stored: $0) })
      case .packed: Value(stored: stored.unpacked)
      case .dictionary(let members): .dictionary(Value.members(members))
      case .reference(let id, let kind): .reference(RecordReference(id, as: kind))
      case .asset(let asset): .asset(Asset(asset))
      case .counter(let counter): .counter(counter.value)
      case .counterDraft(let value): .counter(value)
      case .set(let set): .set(set.elements.map { Value(stored: $0) })
      case .setDraft(let values): .set(values.map { Value(stored: $0) })
      case .labelled(let value, let label): .labelled(Value(stored: value), label: label)
      }
  }

  static func members(_ members: Members) -> [String: Value] {
    var all: [String: Value] = [:]
    all.reserveCapacity(members.count)
    for (key, value) in members.entries { all[key] = Value(stored: value) }
    return all
  }

  /// So deep a value is refused, whatever is in it.
  static let mostDepth = 200

  /// What is written; a counter and a set as drafts, which say how they are to be from now on.
  var stored: SeaCore.Value { stored(0) }

  private func stored(_ depth: Int) -> SeaCore.Value {
    // What is within is not looked into: it takes room on the stack.
    if depth > Value.mostDepth { return .null }
    return switch self {
    case .null: .null
    case .bool(let value): .bool(value)
    case .integer(let value): .integer(value)
    case .bigInteger(let value): SeaCore.Value(value.core)
    case .double(let value): .double(value)
    case .decimal(let value): .decimal(value.core)
    case .string(let value): .string(value)
    case .date(let value): .date(value.milliseconds)
    case .data(let value): .data(value)
    case .array(let values): .array(values.map { $0.stored(depth + 1) })
    case .dictionary(let members): .dictionary(Members(members.map { ($0, $1.stored(depth + 1)) }))
    case .reference(let reference): .reference(id: reference.id, kind: reference.kind)
    case .asset(let asset): asset.core.map { .asset($0) } ?? .null
    case .counter(let value): .counterDraft(value)
    case .set(let values): .setDraft(values.map { $0.stored(depth + 1) })
    case .labelled(let value, let label): .labelled(value.stored(depth + 1), label)
    }
  }
}

extension Asset {
  init(_ asset: AssetReference) {
    self.init(place: asset.place, mimeType: asset.mime, size: asset.size, sha256: asset.sha256.description)
  }

  /// Nil of one that somebody has made up whose digest is none.
  var core: AssetReference? {
    Digest(hex: sha256).map { AssetReference(place: place, mime: mimeType, size: size, sha256: $0) }
  }
}
