internal import SeaCore

/// What a record says of the revision that it was read as: nil of one that was made here.
struct RevisionField { var revision: String? }

extension ObjectBox {
  /// Takes out what every record has, which is not stored beside it.
  /// - Throws: `bad-data` if the type says which record it is only until it is read again.
  func takeReserved(of record: some SeaRecord) throws {
    if try !takeOwn() { try checkID(of: record) }
  }

  /// Whoever writes no id reads one that is the same for ever, or another record each time.
  private func checkID<Wanted: SeaRecord>(of record: Wanted) throws {
    var decoder = StoredDecoder(try applied(to: nil))
    decoder.record = (record.id, RevisionID(depth: 1, digest: .zero).description)
    guard let read = try? Wanted(from: decoder), UTF8Text.equal(read.id, record.id) else {
      throw SeaError(
        .badData, "the CodingKeys of \(Wanted.self) have no 'id': whoever reads the record gets another one",
        ["id": record.id])
    }
  }
}

extension Field {
  /// What counters count, here and within.
  var additions: [Addition] {
    switch self {
    case .count(let count): count.additions
    case .object(let box): box.additions
    case .array(let box): box.fields.flatMap(\.additions)
    case .labelled(let field, _): field.additions
    case .value, .unset, .elements: []
    }
  }
}
