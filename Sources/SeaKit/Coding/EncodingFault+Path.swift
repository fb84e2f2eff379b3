internal import SeaEngine
internal import SeaCore

extension SeaCore.Value {
  /// Where in a body something stands that cannot be stored, and why; nil if all can be.
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

  /// What is in it, each with its name or place.
  private var parts: [(String, SeaCore.Value)] {
    switch self {
    case .dictionary(let members): members.entries.map { ($0.key, $0.value) }
    case .array(let values): values.enumerated().map { ("\($0)", $1) }
    default: []
    }
  }

  /// What is wrong with it as a property.
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
