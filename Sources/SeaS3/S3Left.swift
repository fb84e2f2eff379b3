import COpenSSL
import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

/// What an upload that was stopped has left: parts that need not be sent again.
package struct S3Left {
  /// A part that the server has.
  package struct Part: Equatable {
    package let size: Int64
    package let tag: String

    package init(size: Int64, tag: String) { (self.size, self.tag) = (size, tag) }
  }

  /// An upload that was begun.
  package struct Begun: Equatable {
    package let key: String
    package let id: String
    /// Milliseconds since 1970, 0 where nobody knows.
    package let time: Int64

    package init(key: String, id: String, time: Int64) { (self.key, self.id, self.time) = (key, id, time) }
  }

  /// After so long nobody goes on with one: milliseconds.
  package static let longest: Int64 = 7 * 86_400_000
  /// So many old ones are taken away by one that begins.
  private static let mostEnded = 20
  private static let mostPages = 20

  let id: String
  let parts: [Int: Part]

  private init(_ id: String, _ parts: [Int: Part]) { (self.id, self.parts) = (id, parts) }

  /// The newest one of a key. Those of the container that are older than a week are ended by the way. A server that lists none has
  /// none.
  static func find(_ client: S3Client, _ key: String) -> S3Left? {
    guard
      let answer = try? client.ask(
        .init(method: "GET", query: [("uploads", ""), ("prefix", client.location.prefix)])),
      let all = uploads(answer.body)
    else { return nil }
    let now = Clock.now()
    let mine = all.filter { $0.key == key }.max { $0.time < $1.time }
    for old in all.filter({ $0.time > 0 && now - $0.time > longest && $0 != mine }).prefix(mostEnded) {
      _ = try? client.ask(.init(method: "DELETE", key: old.key, query: [("uploadId", old.id)]))
    }
    guard let mine, let parts = list(client, mine) else { return nil }
    return S3Left(mine.id, parts)
  }

  private static func list(_ client: S3Client, _ upload: Begun) -> [Int: Part]? {
    var parts: [Int: Part] = [:]
    var marker: Int64 = 0
    for _ in 0..<mostPages {
      var query = [("uploadId", upload.id)]
      if marker > 0 { query.insert(("part-number-marker", String(marker)), at: 0) }
      guard let answer = try? client.ask(.init(method: "GET", key: upload.key, query: query)), answer.status == 200,
        let page = self.parts(answer.body)
      else { return nil }
      parts.merge(page.parts) { $1 }
      guard let next = page.next, next > marker else { return parts }
      marker = next
    }
    return parts
  }

  /// Whether a part is what was to be sent: by its tag, which is MD5 with most servers. Where it is something else the part is sent
  /// once more.
  func tag(of number: Int, _ bytes: [UInt8]) -> String? {
    guard let part = parts[number], part.size == bytes.count, let digest = S3Left.md5(bytes),
      part.tag.filter({ $0 != "\"" }).lowercased() == digest
    else { return nil }
    return part.tag
  }

  package static func md5(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: 16)
    var count: UInt32 = 0
    // Where the rules of a system forbid it, nothing is known.
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_md5(), nil) == 1, count == 16 else { return nil }
    return Hex.text(digest)
  }

  /// Nil for what is no list of uploads.
  package static func uploads(_ body: [UInt8]) -> [Begun]? {
    guard let tree = XMLTree.parse(body), tree.name == "ListMultipartUploadsResult" else { return nil }
    return tree.children.compactMap { entry in
      guard entry.name == "Upload", let key = entry.text("Key"), let id = entry.text("UploadId"), !id.isEmpty else {
        return nil
      }
      return Begun(key: key, id: id, time: max(0, entry.text("Initiated").flatMap(Stamp.parse) ?? 0))
    }
  }

  /// Nil for what is no list of parts.
  package static func parts(_ body: [UInt8]) -> (parts: [Int: Part], next: Int64?)? {
    guard let tree = XMLTree.parse(body), ["ListPartsResult", "ListPartsResponse"].contains(tree.name) else {
      return nil
    }
    var parts: [Int: Part] = [:]
    for entry in tree.children where entry.name == "Part" {
      guard let number = entry.text("PartNumber").flatMap({ Wire.number($0) }), let tag = entry.text("ETag"),
        let size = entry.text("Size").flatMap({ Wire.number($0) })
      else { return nil }
      parts[Int(number)] = Part(size: size, tag: tag)
    }
    let isCut = tree.text("IsTruncated") == "true"
    return (parts, isCut ? tree.text("NextPartNumberMarker").flatMap { Wire.number($0) } : nil)
  }
}
