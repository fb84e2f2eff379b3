internal import SeaCore
internal import SeaEngine

struct StoredRecord {
  var id: String
  var type: String?
  var revision: RevisionID
  var conflicts: [RevisionID]
  var properties: Members

  /// Compares the type names as bytes, because Swift strings with different bytes can be equal.
  func isOf<Wanted: SeaRecord>(_ wanted: Wanted.Type) -> Bool {
    type.map { UTF8Text.equal($0, Wanted.recordType) } ?? false
  }

  func decoder(as type: any SeaRecord.Type) -> StoredDecoder {
    var decoder = StoredDecoder(.dictionary(properties))
    decoder.record = (id, revision.description, type)
    return decoder
  }

  /// - Throws: `SeaError` that names the record and the property.
  func decoded<Wanted: SeaRecord>(as type: Wanted.Type) throws -> Wanted {
    do { return try Wanted(from: decoder(as: type)) } catch let error as DecodingError {
      throw SeaError(error, record: id)
    }
  }
}

extension StoredRecord {
  init(_ bytes: BorrowedRecord) throws {
    self.init(
      id: String(decoding: bytes.id, as: UTF8.self), type: bytes.type.map { String(decoding: $0, as: UTF8.self) },
      revision: bytes.revision, conflicts: [], properties: try StoredRecord.properties(bytes.body))
  }

  /// Returns nil if the record is deleted.
  init?(_ view: RecordView) throws {
    guard view.leaf.kind == .put else { return nil }
    self.init(
      id: view.id, type: view.type, revision: view.revision, conflicts: view.conflicts,
      properties: try view.body.map { try $0.withUnsafeBufferPointer(StoredRecord.properties) } ?? Members())
  }

  init(_ made: MadeRecord) throws {
    self.init(
      id: made.id, type: made.type, revision: made.revision, conflicts: made.conflicts,
      properties: try made.body.withUnsafeBufferPointer(StoredRecord.properties))
  }

  /// Returns the properties, or an empty dictionary if the content was purged.
  private static func properties(_ body: UnsafeBufferPointer<UInt8>?) throws -> Members {
    try body.map { try SeaCore.Value.decode(body: $0) }?.members ?? Members()
  }
}

extension Record {
  init(_ stored: StoredRecord) {
    self.init(
      read: stored.id, type: stored.type, stored.revision, conflicts: stored.conflicts, stored.properties)
  }
}

extension SeaError {
  static func parts(of error: DecodingError) -> (DecodingError.Context, String) {
    switch error {
    case .keyNotFound(let key, let found):
      (DecodingError.Context(codingPath: found.codingPath + [key], debugDescription: ""), "is missing")
    case .typeMismatch(_, let found), .valueNotFound(_, let found), .dataCorrupted(let found):
      (found, "cannot be read: \(found.debugDescription)")
    @unknown default: (DecodingError.Context(codingPath: [], debugDescription: ""), "\(error)")
    }
  }

  init(_ error: DecodingError, record id: String) {
    let (context, what) = SeaError.parts(of: error)
    self = .badProperty(id, context.codingPath.map(\.stringValue).joined(separator: "."), what)
  }
}
