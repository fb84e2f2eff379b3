internal import SeaCore

/// The property `_rev`, which contains the revision that was read; nil for a new record.
struct RevisionField { var revision: String? }

extension ObjectBox {
  /// Removes the id and the revision, which are not stored as properties.
  /// - Throws: `bad-data` if the type does not encode its id, because the record would get a different id when read.
  func removeReserved(of record: some SeaRecord) throws {
    if try !removeIDAndRevision() { try checkID(of: record) }
  }

  private func checkID<Wanted: SeaRecord>(of record: Wanted) throws {
    var decoder = StoredDecoder(try applied(to: nil))
    decoder.record = (record.id, RevisionID(depth: 1, digest: .zero).description, Wanted.self)
    guard let read = try? Wanted(from: decoder), UTF8Text.equal(read.id, record.id) else {
      throw SeaError(
        .badData, "the CodingKeys of \(Wanted.self) have no 'id', so the record would get a new id when it is read",
        ["id": record.id])
    }
  }
}

extension Field {
  var additions: [Addition] {
    switch self {
    case .count(let count): count.additions
    case .object(let box): box.additions
    case .array(let box): box.fields.flatMap(\.additions)
    case .labeled(let field, _), .keeping(let field, _): field.additions
    case .value, .unset, .elements: []
    }
  }

  var kept: [KeptRecord] {
    switch self {
    case .keeping(_, let records): records
    case .object(let box): box.kept
    case .array(let box): box.fields.flatMap(\.kept)
    case .labeled(let field, _): field.kept
    case .value, .unset, .count, .elements: []
    }
  }
}
