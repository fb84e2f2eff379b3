import SeaCore

package struct BundleMember: Equatable, Sendable {
  package var path: BundlePath
  package var size: Int64
  package var sha256: Digest

  package init(path: BundlePath, size: Int64, sha256: Digest) {
    self.path = path
    self.size = size
    self.sha256 = sha256
  }
}
