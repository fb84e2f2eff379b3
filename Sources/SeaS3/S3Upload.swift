import COpenSSL
import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

/// A multipart upload of a large object, with several parts sent at a time. The object does not exist until the last
/// step. Parts that an interrupted upload has already sent are not sent again.
package struct S3Upload {
  private static let mostUnderWay = 4
  private static let mostParts: Int64 = 9000

  private struct Progress {
    var tags: [Int: String] = [:]
    var underWay = 0
    var fault: WireRefusal?
    var isLeft = false
  }

  private let client: S3Client
  private let key: String
  private let id: String
  /// The random mark of the new object; nil if another process began the upload.
  private let mark: String?
  private let left: InterruptedUpload?
  private let replaces: Bool
  private var count = 0
  private let progress = Monitor(Progress())

  package static func partSize(of size: Int64) -> Int64 {
    let mebibyte: Int64 = 1 << 20
    return max(Int64(S3Session.piece), (size / mostParts + mebibyte) / mebibyte * mebibyte)
  }

  init(_ client: S3Client, _ key: String, size: Int64, replaces: Bool) throws(WireRefusal) {
    (self.client, self.key, self.replaces) = (client, key, replaces)
    // This check avoids a pointless upload. The condition in the last request guarantees that no object is replaced.
    if !replaces, try client.probe(key) != .free { throw .exists }
    left = replaces ? nil : InterruptedUpload.find(client, key)
    if let left {
      (id, mark) = (left.id, nil)
      return
    }
    let mark = try S3Client.mark()
    self.mark = mark
    var id: String?
    _ = try client.ask(
      .init(method: "POST", key: key, query: [("uploads", "")], headers: [(S3Client.markHeader, mark)]), []
    ) { answer in
      id = XMLTree.parse(answer.body)?.text("UploadId")
      return id?.isEmpty == false
    }
    guard let id else { throw WireRefusal(.failed, "the server did not start the upload") }
    self.id = id
  }

  var fault: WireRefusal? { progress.with { $0.fault } }

  mutating func add(_ bytes: [UInt8], _ board: Board) {
    count += 1
    let (number, key, id, progress) = (count, key, id, progress)
    if let tag = left?.tag(of: number, bytes) { return progress.with { $0.tags[number] = tag } }
    progress.wait { progress -> Void? in
      guard progress.underWay < S3Upload.mostUnderWay else { return nil }
      progress.underWay += 1
      return ()
    }
    board.share { client in
      let sent: Result<String, WireRefusal> = Result { () throws(WireRefusal) in
        let answer = try client.ask(
          .init(method: "PUT", key: key, query: [("partNumber", String(number)), ("uploadId", id)]), bytes
        ) { $0.isOfStore }
        guard answer.status == 200, let tag = answer.headers["etag"] else {
          throw WireRefusal(.failed, "the server lost the upload")
        }
        return tag
      }
      progress.with { progress in
        progress.underWay -= 1
        switch sent {
        case .success(let tag): progress.tags[number] = tag
        case .failure(let fault): progress.fault = progress.fault ?? fault
        }
      }
    }
  }

  /// Ends the upload without sending the remaining parts. The parts that were sent are kept for the next attempt.
  func leave(_ fault: WireRefusal) {
    progress.with {
      $0.fault = $0.fault ?? fault
      $0.isLeft = true
    }
  }

  /// Joins the parts into one object. If the server refuses the parts, they are deleted; if the upload is incomplete,
  /// they are kept.
  func finish() throws(WireRefusal) {
    let (tags, fault, isLeft) = progress.wait { $0.underWay == 0 ? ($0.tags, $0.fault, $0.isLeft) : nil }!
    if let fault, !tags.isEmpty, isLeft || fault.code == .gone || fault.code == .busy { throw fault }
    do throws(WireRefusal) {
      if let fault { throw fault }
      try complete(tags)
    } catch {
      _ = try? client.ask(.init(method: "DELETE", key: key, query: [("uploadId", id)]))
      throw error
    }
  }

  private func complete(_ tags: [Int: String]) throws(WireRefusal) {
    let known = client.shared.state.with { $0.once }
    if !replaces, known != .honored, try client.probe(key) != .free { throw .exists }
    let list = (1...max(count, 1)).map { number in
      "<Part><PartNumber>\(number)</PartNumber><ETag>\(S3Upload.escaped(tags[number] ?? ""))</ETag></Part>"
    }
    let body = Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8)
    let answer = try client.ask(
      .init(
        method: "POST", key: key, query: [("uploadId", id)],
        headers: replaces || known == .ignored ? [] : [("if-none-match", "*")]), body
    ) { $0.status != 200 || XMLTree.parse($0.body)?.text("ETag") != nil }
    // If an answer was lost or a request repeated, the existing object may be the one that this upload wrote.
    if answer.status == 200 { return }
    let there = try client.probe(key)
    if let mark, there == .taken(mark: mark) { return }
    // The process that began the upload may have completed it.
    if mark == nil, there != .free { throw .exists }
    throw answer.status == 412 ? WireRefusal.exists : WireRefusal(.failed, "the server lost the upload")
  }

  private static func escaped(_ text: String) -> String {
    text.map { $0 == "\"" ? "&quot;" : $0 == "<" ? "&lt;" : $0 == "&" ? "&amp;" : String($0) }.joined()
  }
}

/// An interrupted upload whose parts need not be sent again.
package struct InterruptedUpload {
  package struct Part: Equatable {
    package let size: Int64
    package let tag: String

    package init(size: Int64, tag: String) { (self.size, self.tag) = (size, tag) }
  }

  package struct StartedUpload: Equatable {
    package let key: String
    package let id: String
    /// The start time, in milliseconds since 1970; 0 if unknown.
    package let time: Int64

    package init(key: String, id: String, time: Int64) { (self.key, self.id, self.time) = (key, id, time) }
  }

  /// The age in milliseconds after which other interrupted uploads are aborted.
  package static let longest: Int64 = 7 * 86_400_000
  /// The maximum number of old uploads that a new upload aborts.
  private static let mostEnded = 20
  private static let mostPages = 20

  let id: String
  let parts: [Int: Part]

  private init(_ id: String, _ parts: [Int: Part]) { (self.id, self.parts) = (id, parts) }

  /// Returns the newest interrupted upload of a key, if any, and aborts the container's other uploads if they are older
  /// than `longest`.
  static func find(_ client: S3Client, _ key: String) -> InterruptedUpload? {
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
    return InterruptedUpload(mine.id, parts)
  }

  private static func list(_ client: S3Client, _ upload: StartedUpload) -> [Int: Part]? {
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

  /// Returns the tag of a part that has already been sent with the same content. Most servers use MD5 digests as tags.
  /// With other servers, the part is sent again.
  func tag(of number: Int, _ bytes: [UInt8]) -> String? {
    guard let part = parts[number], part.size == bytes.count, let digest = InterruptedUpload.md5(bytes),
      part.tag.filter({ $0 != "\"" }).lowercased() == digest
    else { return nil }
    return part.tag
  }

  package static func md5(_ bytes: [UInt8]) -> String? {
    var digest = [UInt8](repeating: 0, count: 16)
    var count: UInt32 = 0
    // The system's security policy may forbid MD5. In that case, the part is sent again.
    guard EVP_Digest(bytes, bytes.count, &digest, &count, EVP_md5(), nil) == 1, count == 16 else { return nil }
    return Hex.text(digest)
  }

  package static func uploads(_ body: [UInt8]) -> [StartedUpload]? {
    guard let tree = XMLTree.parse(body), tree.name == "ListMultipartUploadsResult" else { return nil }
    return tree.children.compactMap { entry in
      guard entry.name == "Upload", let key = entry.text("Key"), let id = entry.text("UploadId"), !id.isEmpty else {
        return nil
      }
      return StartedUpload(key: key, id: id, time: max(0, entry.text("Initiated").flatMap(Stamp.parse) ?? 0))
    }
  }

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
