import SeaContainer

/// What a server says of an error.
package struct S3Error: Equatable {
  package let code: String
  package let region: String?

  /// Nil for what is no such answer.
  package init?(_ body: [UInt8]) {
    guard !body.isEmpty, let tree = XMLTree.parse(body), tree.name == "Error", let code = tree.text("Code") else {
      return nil
    }
    self.code = String(code.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }.prefix(80))
    region = tree.text("Region")
  }
}

/// A page of a listing.
package struct S3Page: Equatable {
  package struct Object: Equatable {
    package let key: String
    package let size: Int64
    /// Milliseconds since 1970, 0 where nobody knows.
    package let time: Int64

    package init(key: String, size: Int64, time: Int64) { (self.key, self.size, self.time) = (key, size, time) }
  }

  package var objects: [Object] = []
  /// Where the next page begins; nil for the last one.
  package var next: String?

  /// Nil for what is no listing, or one that does not say how it goes on.
  package init?(_ body: [UInt8]) {
    guard let tree = XMLTree.parse(body), tree.name == "ListBucketResult" else { return nil }
    let isEncoded = tree.text("EncodingType") == "url"
    for entry in tree.children where entry.name == "Contents" {
      guard let key = entry.text("Key"), let size = entry.text("Size").flatMap({ Wire.number($0) }) else { return nil }
      // A name that is none is nobody's.
      guard let name = isEncoded ? PercentText.decoded(key) : key else { continue }
      objects.append(
        Object(key: name, size: size, time: max(0, entry.text("LastModified").flatMap(Stamp.parse) ?? 0)))
    }
    if tree.text("IsTruncated") == "true" {
      guard let token = tree.text("NextContinuationToken"), !token.isEmpty else { return nil }
      next = token
    } else if tree.text("IsTruncated") != "false" {
      return nil
    }
  }
}
