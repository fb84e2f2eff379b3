import SeaCore
import SeaStore

extension BlockBuilder {
  mutating func add(
    id: UnsafeBufferPointer<UInt8>, _ type: String?, parent: RevisionID?, merged: [RevisionID] = [],
    kind: RevisionKind, body: UnsafeBufferPointer<UInt8>? = nil, hasReferences: Bool = false
  ) throws -> Change {
    var text = type ?? ""
    return try text.withUTF8 {
      try add(
        id: id, type: type == nil ? nil : $0, parent: parent, merged: merged, kind: kind, body: body,
        hasReferences: hasReferences)
    }
  }

  /// - Parameters:
  ///   - merged: the merged revisions, in any order. If there are too many, only the lowest ones are used.
  ///   - body: nil unless `kind` is `put`.
  @discardableResult
  mutating func add(
    _ id: String, _ type: String?, parent: RevisionID, merged: [RevisionID] = [], kind: RevisionKind,
    body: Value? = nil
  ) throws -> RevisionID {
    var bytes = ByteWriter()
    let hasReferences = try body?.encodeBody(into: &bytes) ?? false
    let taken = Array(merged.sorted().prefix(Change.mostMerged))
    var id = id
    return try id.withUTF8 {
      try add(
        id: $0, type, parent: parent, merged: taken, kind: kind, body: body == nil ? nil : bytes.bytes,
        hasReferences: hasReferences
      ).revision
    }
  }
}
