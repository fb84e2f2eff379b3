/// Why an operation cannot be taken back, or shown.
package enum OperationFault: Equatable, Sendable {
  case notFound(String)
  case ambiguous(String)
  /// Nothing that is still in effect.
  case nothing
  /// The operation did nothing to the record.
  case untouched(id: String, operation: String)
  /// Records that have other revisions now than the operation left them with.
  case changedSince(operation: String, ids: [String])
}
