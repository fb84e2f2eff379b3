/// Limits and options for parsing JSON, in addition to the limits of the format.
package struct RecordLimits: Sendable {
  /// The maximum size of a `$data` value in bytes. Larger data is stored as an asset.
  package var maxData = 65_536
  /// Whether the JSON is a patch, in which a null removes the property. The output is then a draft that keeps the
  /// nulls.
  package var keepsNulls = false
  /// Whether to ignore the record's revision id, which may come from another database or program.
  package var ignoresRevision = false
  /// Whether the JSON is a revision from `sea dump --history`. Such JSON includes the revision's origins, and the
  /// stored body if JSON cannot represent the body completely.
  package var isHistory = false

  package init(maxData: Int = 65_536, keepsNulls: Bool = false) {
    self.maxData = maxData
    self.keepsNulls = keepsNulls
  }
}

package struct RecordInput {
  package var id: String?
  package var type: String?
  package var rev: RevisionID?
  package var deleted = false
  /// The parent revision. This and the next three properties are set only for input from a history.
  package var parent: RevisionID?
  package var merged: [RevisionID] = []
  package var isResolved = false
  package var stored: [UInt8]?
  package var hasReferences = false
  /// Whether the body contains a counter or a set. Such a body is a draft for `Value.decodeDraft`; `Value.adopting`
  /// then adds the previous states.
  package var needsState = false
  /// The range of the body in the output buffer.
  package var body = 0..<0

  package init() {}
}

/// Appends the canonical body of the record on `tape` to `writer` and returns the record's other parts.
///
/// A null property counts as absent. All members that begin with `_` and that `sea get` prints are accepted, so that
/// its output is valid input. Other members that begin with `_` are errors.
package func encodeRecord(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> RecordInput {
  guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  var encoder = TapeEncoder(tape, bytes, limits)
  return try encoder.record(into: &writer)
}

/// Writes the value on `tape` as a draft at the first level below a body.
/// - Returns: whether the value contains references, and whether it needs states as in `RecordInput`.
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
