package struct RecordLimits {
  /// The maximum size of a `$data` value in bytes. Larger data is stored as an asset.
  package var maxData = 65_536
  /// Whether the JSON is a patch, in which a null removes a property. If so, the output is a draft that keeps the
  /// nulls.
  package var keepsNulls = false
  /// Whether to ignore the record's revision id, which might come from another database or program.
  package var ignoresRevision = false
  /// Whether the JSON comes from `sea dump --history`, with the revision's origins and possibly the stored body.
  package var isHistory = false
  /// New names of the record's keys; nil if all keys keep their names.
  package var names: NameMap?
  /// Whether the JSON comes from another program, so that an id may be a number, and `$oid` and the numbers of MongoDB
  /// are values.
  package var isForeign = false
  /// Returns the id to store for the text of a `$ref` of the form `TYPE:PROP=VALUE`; nil to store every text unchanged.
  package var target: ((String) -> String)?

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
  /// The parent revision. This property and the next three are set only if the input comes from a history.
  package var parent: RevisionID?
  package var merged: [RevisionID] = []
  package var isResolved = false
  package var stored: [UInt8]?
  package var hasReferences = false
  /// Whether the body is a draft because it contains a counter or a set. `Value.adopting` adds the previous states to
  /// the draft.
  package var needsState = false
  package var body = 0..<0

  package init() {}
}

/// Appends the canonical body of the record on `tape` to `writer` and returns the record's other parts.
///
/// A null property counts as absent. Members beginning with `_` that `sea get` prints are accepted, so that its output
/// is valid input. All other members beginning with `_` are errors.
package func encodeRecord(
  _ tape: borrowing JSONTape, _ bytes: UnsafeBufferPointer<UInt8>, into writer: inout ByteWriter,
  limits: RecordLimits = RecordLimits()
) throws(CoreError) -> RecordInput {
  guard tape.isObject else { throw .badJSON(.notAnObject, offset: tape.origin) }
  var encoder = TapeEncoder(tape, bytes, limits)
  return try encoder.record(into: &writer)
}

/// - Returns: whether the value contains references, and whether it needs states, as in `RecordInput`.
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
