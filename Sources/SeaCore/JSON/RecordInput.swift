/// Limits and options for a JSON text, besides the limits of the format.
package struct RecordLimits: Sendable {
  /// The maximum size of a `$data` in bytes; larger content is stored as an asset.
  package var maxData = 65_536
  /// Whether the text is a patch, in which null properties mean "remove". The output is then a draft with nulls.
  package var keepsNulls = false
  /// Whether to ignore the record's revision, which may come from another database or program.
  package var ignoresRevision = false
  /// Whether the text is a revision from `sea dump --history`. It includes its origins, and the stored body if JSON
  /// does not represent the body completely.
  package var isHistory = false

  package init(maxData: Int = 65_536, keepsNulls: Bool = false) {
    self.maxData = maxData
    self.keepsNulls = keepsNulls
  }
}

/// The parts of a record that was read from JSON.
package struct RecordInput {
  package var id: String?
  package var type: String?
  package var rev: RevisionID?
  package var deleted = false
  /// For a history: the parent, the merged revisions, whether the revision ends a branch, and the stored body.
  package var parent: RevisionID?
  package var merged: [RevisionID] = []
  package var isResolved = false
  package var stored: [UInt8]?
  package var hasReferences = false
  /// Whether the body contains a counter or a set. Then it is a draft for `Value.decodeDraft`, and `Value.adopting`
  /// adds the previous states.
  package var needsState = false
  /// The range of the body in the writer.
  package var body = 0..<0

  package init() {}
}

/// Appends the canonical body of the record on `tape` to `writer` and returns the other parts.
///
/// A null property counts as absent. Members whose names begin with `_` are read or ignored if `sea get` prints them,
/// so that its output is valid input. Other such members are errors.
package func encodeRecord(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> RecordInput {
  guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  var encoder = TapeEncoder(tape, bytes, limits)
  return try encoder.record(into: &writer)
}

/// Writes the value on `tape` as a draft one level below a body.
/// - Returns: whether it contains references, and whether it needs states as in `RecordInput`.
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
