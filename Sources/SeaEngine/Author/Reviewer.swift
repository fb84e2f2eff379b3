import SeaCore

/// A hook of the user that checks the records of each write under the writer lock. If it throws, nothing is written.
/// Automatic changes, such as merges, are not reviewed.
package struct Reviewer {
  /// Whether a review is needed at all.
  package let isWanted: () throws -> Bool
  /// Receives the changes of records, and the bytes that the changes refer to.
  package let review: ([Change], UnsafeBufferPointer<UInt8>) throws -> Void

  package init(
    if isWanted: @escaping () throws -> Bool, _ review: @escaping ([Change], UnsafeBufferPointer<UInt8>) throws -> Void
  ) {
    (self.isWanted, self.review) = (isWanted, review)
  }
}
