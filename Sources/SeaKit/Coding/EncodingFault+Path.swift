internal import SeaEngine
internal import SeaCore

extension SeaCore.Value {
  /// Returns the path of the first value that cannot be stored, and why; nil if all values can be stored.
  func fault(_ instance: UUID) -> (path: [String], words: String)? {
    guard let body = try? SeaCore.Value.adopting(self, previous: nil, instance: instance) else { return nil }
    if let name = body.parts.first(where: { $0.1 == .null })?.0 { return ([name], EncodingFault.nullValue.words) }
    return body.fault().map { ($0.path, $0.fault.words) }
  }

  private func fault() -> (path: [String], fault: EncodingFault)? {
    for (name, value) in parts {
      guard let fault = value.ownFault else { continue }
      if fault != .tooDeep, let inner = value.fault() { return ([name] + inner.path, inner.fault) }
      return ([name], fault)
    }
    return nil
  }

  private var parts: [(String, SeaCore.Value)] {
    switch self {
    case .dictionary(let members): members.entries.map { ($0.key, $0.value) }
    case .array(let values): values.enumerated().map { ("\($0)", $1) }
    default: []
    }
  }

  /// Why this value or a nested value cannot be stored in a property; nil if it can.
  private var ownFault: EncodingFault? {
    if case .null = self { return nil }
    var writer = ByteWriter()
    do throws(CoreError) {
      try SeaCore.Value.dictionary(Members([("p", self)])).encodeBody(into: &writer)
      return nil
    } catch {
      guard case .badEncoding(let fault, _) = error else { return nil }
      return fault
    }
  }
}
