import SeaContainer
import SeaCore

/// The location of a container in an object store: `s3://BUCKET`, or `s3://BUCKET/PREFIX`.
package struct S3Location: Equatable, Sendable {
  package let bucket: String
  /// The prefix of every object name, which is either empty or ends with a slash.
  package let prefix: String

  /// The maximum length in bytes of a prefix. Object names can have up to 1,024 bytes, and paths in a container up to
  /// 255 bytes.
  static let longestPrefix = 700

  package init?(_ text: String) {
    guard text.hasPrefix("s3://") else { return nil }
    let rest = text.dropFirst(5)
    let bucket = rest.prefix { $0 != "/" }
    var path = rest.dropFirst(bucket.utf8.count)
    if path.hasPrefix("/") { path = path.dropFirst() }
    if path.hasSuffix("/") { path = path.dropLast() }
    guard S3Location.isBucket(bucket) else { return nil }
    guard path.isEmpty || S3Location.isPrefix(path) else { return nil }
    self.bucket = String(bucket)
    prefix = path.isEmpty ? "" : path + "/"
  }

  package func key(_ path: String) -> String { prefix + path }

  /// Returns the path of the file that an object stores; nil if the object is not part of this container.
  package func path(_ key: String) -> String? {
    guard key.utf8.starts(with: prefix.utf8) else { return nil }
    let path = String(decoding: key.utf8.dropFirst(prefix.utf8.count), as: UTF8.self)
    return WirePath.isPath(path) ? path : nil
  }

  /// Whether a bucket name is valid. Names of old buckets are accepted, too; these can contain uppercase letters and
  /// `_`.
  private static func isBucket(_ name: Substring) -> Bool {
    (3...255).contains(name.utf8.count)
      && name.utf8.allSatisfy { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
        default: false
        }
      } && name.first != "." && name.last != "." && !name.containsText("..")
  }

  private static func isPrefix(_ path: Substring) -> Bool {
    guard path.utf8.count <= longestPrefix else { return false }
    return path.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      part.utf8.count <= WirePath.longest && WirePath.isPath(part)
    }
  }
}
