/// What becomes of a bundle's members while they are read. Nothing may be believed before the reader has returned.
package protocol BundleVisitor: AnyObject {
  /// A member that the manifest names begins.
  func begin(_ member: BundleMember) throws
  /// Content of that member; the memory is valid during the call only.
  func bytes(_ bytes: UnsafeRawBufferPointer) throws
  /// It is there with its whole size and the digest that the manifest has.
  func end(_ member: BundleMember) throws
}
