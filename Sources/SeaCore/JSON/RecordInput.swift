/// What a JSON text may hold beyond what the format itself bounds.
package struct RecordLimits: Sendable {
  /// The most bytes that a `$data` may have; larger content is an asset.
  package var maxData = 65_536
  /// A patch: null properties are kept, and stand for "remove". What is written is a draft.
  package var keepsNulls = false
  /// What the record says of its revision may be of another database, or of another program.
  package var ignoresRevision = false
  /// A revision as `sea dump --history` writes it: with what it follows, and the body as it is stored where JSON does not say all of it.
  package var isHistory = false

  package init(maxData: Int = 65_536, keepsNulls: Bool = false) {
    self.maxData = maxData
    self.keepsNulls = keepsNulls
  }
}

/// The parts of a record that was given as JSON.
package struct RecordInput {
  package var id: String?
  package var type: String?
  package var rev: RevisionID?
  package var deleted = false
  /// Of a history: the revision that this one follows, those that it has taken in, whether it is the end of a branch, and its body as it
  /// is stored.
  package var parent: RevisionID?
  package var merged: [RevisionID] = []
  package var isResolved = false
  package var stored: [UInt8]?
  package var hasReferences = false
  /// A counter or a set stands in the body: what was written is a draft that only `Value.decodeDraft` reads, and
  /// becomes a body through `Value.adopting`, which knows the state that came before.
  package var needsState = false
  /// Where the body's bytes stand in the writer.
  package var body = 0..<0

  package init() {}
}

/// Writes the body of the record that `tape` holds to the end of `writer`, as its one encoding, and returns the rest.
///
/// A null property is as good as absent. Of the members whose names begin with `_`, those that `sea get` prints are
/// taken or ignored, so that its output can be given back; others are refused.
package func encodeRecord(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> RecordInput {
  guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  var encoder = TapeEncoder(tape, bytes, limits)
  return try encoder.record(into: &writer)
}

/// Writes the value that `tape` holds, as a draft at one level below a body.
/// - Returns: whether there are references in it, and whether it needs a state, as `RecordInput` says.
@discardableResult
package func encodeValue(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> (hasReferences: Bool, needsState: Bool) {
  guard tape.nodes.count > 0 else { throw .badJSON(.unexpectedEnd, offset: tape.origin) }
  var encoder = TapeEncoder(tape, bytes, limits)
  try encoder.value(0, 1, into: &writer)
  return (encoder.hasReferences, encoder.needsState)
}
