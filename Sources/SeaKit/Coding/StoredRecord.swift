internal import SeaCore
internal import SeaEngine

/// A record as its bytes lie in the store.
struct StoredRecord {
  var id: String
  var type: String?
  var revision: RevisionID
  var conflicts: [RevisionID]
  var body: [UInt8]

  func members() throws -> Members {
    try body.withUnsafeBufferPointer { try SeaCore.Value.decode(body: $0) }.members ?? Members()
  }

  /// - Throws: `SeaError` that names the record and the property.
  func decoded<Wanted: SeaRecord>(as type: Wanted.Type) throws -> Wanted {
    var decoder = StoredDecoder(.dictionary(try members()))
    decoder.record = (id, revision.description)
    do { return try Wanted(from: decoder) } catch let error as DecodingError {
      throw SeaError(error, record: id)
    }
  }
}

extension StoredRecord {
  init(_ bytes: RecordBytes) {
    self.init(
      id: String(decoding: bytes.id, as: UTF8.self), type: bytes.type.map { String(decoding: $0, as: UTF8.self) },
      revision: bytes.revision, conflicts: [], body: bytes.body.map { Array($0) } ?? StoredRecord.nothing)
  }

  /// What was purged says nothing.
  static let nothing: [UInt8] = [0xA0]

  /// Nil of a record that is deleted.
  init?(_ view: RecordView) {
    guard view.leaf.kind == .put else { return nil }
    self.init(
      id: view.id, type: view.type, revision: view.revision, conflicts: view.conflicts,
      body: view.body ?? StoredRecord.nothing)
  }
}

extension Record {
  init(_ stored: StoredRecord) throws {
    self.init(
      read: stored.id, type: stored.type, stored.revision, conflicts: stored.conflicts, try stored.members())
  }
}

extension SeaError {
  init(_ error: DecodingError, record id: String) {
    let (context, what): (DecodingError.Context, String)
    switch error {
    case .keyNotFound(let key, let found):
      (context, what) = (
        DecodingError.Context(codingPath: found.codingPath + [key], debugDescription: ""), "is not there"
      )
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
      (context, what) = (found, "cannot be read: \(found.debugDescription)")
    @unknown default: (context, what) = (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
    }
    self = .badProperty(id, context.codingPath.map(\.stringValue).joined(separator: "."), what)
  }
}
