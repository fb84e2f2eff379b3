import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

/// A large object on its way, in parts of which several go at once. It is there when the last step is done, and not before. What an
/// earlier one has sent of it is not sent again.
package struct S3Upload {
  /// So many parts are held here.
  private static let mostUnderWay = 4
  private static let mostParts: Int64 = 9000

  /// What the parts have come to.
  private struct Progress {
    var tags: [Int: String] = [:]
    var underWay = 0
    var fault: S3Fault?
    /// Whether the other side of this program has gone.
    var isLeft = false
  }

  private let client: S3Client
  private let key: String
  private let id: String
  /// Nil where somebody else has begun it.
  private let mark: String?
  private let left: S3Left?
  private let replaces: Bool
  private var count = 0
  private let progress = Monitor(Progress())

  package static func partSize(of size: Int64) -> Int64 {
    let mebibyte: Int64 = 1 << 20
    return max(Int64(S3Session.piece), (size / mostParts + mebibyte) / mebibyte * mebibyte)
  }

  init(_ client: S3Client, _ key: String, size: Int64, replaces: Bool) throws(S3Fault) {
    (self.client, self.key, self.replaces) = (client, key, replaces)
    // So that nothing is sent in vain; that nothing is replaced is made sure of at the end.
    if !replaces, try client.look(key) != .free { throw .exists }
    left = replaces ? nil : S3Left.find(client, key)
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
    guard let id else { throw S3Fault(.failed, "the server begins no upload") }
    self.id = id
  }

  var fault: S3Fault? { progress.with { $0.fault } }

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
      let sent: Result<String, S3Fault> = Result { () throws(S3Fault) in
        let answer = try client.ask(
          .init(method: "PUT", key: key, query: [("partNumber", String(number)), ("uploadId", id)]), bytes
        ) { $0.isOfStore }
        guard answer.status == 200, let tag = answer.headers["etag"] else {
          throw S3Fault(.failed, "the server has lost the upload")
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

  /// The rest does not come. What was sent stays for the next one.
  func leave(_ fault: S3Fault) {
    progress.with {
      $0.fault = $0.fault ?? fault
      $0.isLeft = true
    }
  }

  /// Makes one object of all parts. What was sent of it is taken away where the server refuses it, and stays where it was not all.
  func finish() throws(S3Fault) {
    let (tags, fault, isLeft) = progress.wait { $0.underWay == 0 ? ($0.tags, $0.fault, $0.isLeft) : nil }!
    if let fault, !tags.isEmpty, isLeft || fault.code == .gone || fault.code == .busy { throw fault }
    do throws(S3Fault) {
      if let fault { throw fault }
      try complete(tags)
    } catch {
      _ = try? client.ask(.init(method: "DELETE", key: key, query: [("uploadId", id)]))
      throw error
    }
  }

  private func complete(_ tags: [Int: String]) throws(S3Fault) {
    let known = client.shared.state.with { $0.once }
    if !replaces, known != .honoured, try client.look(key) != .free { throw .exists }
    let list = (1...max(count, 1)).map { number in
      "<Part><PartNumber>\(number)</PartNumber><ETag>\(S3Upload.escaped(tags[number] ?? ""))</ETag></Part>"
    }
    let body = Array("<CompleteMultipartUpload>\(list.joined())</CompleteMultipartUpload>".utf8)
    let answer = try client.ask(
      .init(
        method: "POST", key: key, query: [("uploadId", id)],
        headers: replaces || known == .ignored ? [] : [("if-none-match", "*")]), body
    ) { $0.status != 200 || XMLTree.parse($0.body)?.text("ETag") != nil }
    // An answer that was lost, or a request that came twice, is no other writer.
    if answer.status == 200 { return }
    let there = try client.look(key)
    if let mark, there == .taken(mark: mark) { return }
    // Who else has brought it has brought the same.
    if mark == nil, there != .free { throw .exists }
    throw answer.status == 412 ? S3Fault.exists : S3Fault(.failed, "the server has lost the upload")
  }

  private static func escaped(_ text: String) -> String {
    text.map { $0 == "\"" ? "&quot;" : $0 == "<" ? "&lt;" : $0 == "&" ? "&amp;" : String($0) }.joined()
  }
}
