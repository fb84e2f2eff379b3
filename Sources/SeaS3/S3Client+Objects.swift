import SeaContainer
import SeaCore
import SeaHTTP
import SeaSystem

extension S3Client {
  /// Who has written an object, if it was this program.
  static let markHeader = "x-amz-meta-sea-put"

  /// Whether an object is there, and what mark it has.
  enum Presence: Equatable {
    case free
    case taken(mark: String?)
  }

  func look(_ key: String) throws(S3Fault) -> Presence {
    var ask = Ask(method: "GET", key: key, headers: [("range", "bytes=0-0")], most: 1)
    ask.skip = 0
    let answer = try self.ask(ask) { $0.isOfStore }
    return answer.status == 404 ? .free : .taken(mark: answer.headers[S3Client.markHeader])
  }

  /// The bytes of an object from an offset on: as many as are wanted or there are, and the size of the whole where it is said.
  func read(_ key: String, from offset: Int64, count: Int) throws(S3Fault) -> [UInt8] {
    guard count > 0 else {
      guard case .taken = try look(key) else { throw .notFound }
      return []
    }
    var ask = Ask(
      method: "GET", key: key, headers: [("range", "bytes=\(offset)-\(offset + Int64(count) - 1)")], most: count)
    ask.skip = offset
    let answer = try self.ask(ask) { answer in
      (answer.status == 200 && !answer.isPart)
        || S3Range(answer)?.isAnswer(from: offset, count: count, got: answer.body.count) ?? false
    }
    switch answer.status {
    case 404: throw .notFound
    case 416: return []
    default: return answer.body
    }
  }

  func size(of key: String) throws(S3Fault) -> Int64 {
    var ask = Ask(method: "GET", key: key, headers: [("range", "bytes=0-0")], most: 1)
    ask.skip = 0
    let answer = try self.ask(ask) { $0.isOfStore && ($0.isPart || $0.status != 206) }
    if answer.status == 404 { throw .notFound }
    if answer.status == 416 { return 0 }
    let size = answer.isPart ? S3Range(answer)?.size : answer.headers["content-length"].flatMap { Wire.number($0) }
    guard let size else { throw S3Fault(.failed, "the server does not say how large an object is") }
    return size
  }

  /// - Returns: false if there was none.
  func copy(_ key: String, to other: String) throws(S3Fault) -> Bool {
    guard try look(other) == .free else { throw .exists }
    let source = PercentText.path("/\(location.bucket)/\(key)")
    let answer = try ask(
      Ask(method: "PUT", key: other, headers: [("x-amz-copy-source", source)]),
      []
    ) { $0.status != 200 || XMLTree.parse($0.body)?.text("ETag") != nil }
    return answer.status != 404
  }

  func delete(_ key: String) throws(S3Fault) { _ = try ask(Ask(method: "DELETE", key: key)) }

  /// Hands over a listing page by page.
  func list(_ prefix: String, _ body: (S3Page) throws(S3Fault) -> Void) throws(S3Fault) {
    var token: String?
    // A server that goes round in a circle is left; so many objects have no container.
    var pages = 0
    repeat {
      var query = [("list-type", "2"), ("prefix", prefix), ("encoding-type", "url")]
      if let token { query.append(("continuation-token", token)) }
      var page: S3Page?
      _ = try ask(Ask(method: "GET", query: query)) { answer in
        page = S3Page(answer.body)
        return page != nil
      }
      guard let page else { throw S3Fault(.failed, "the server answers with no listing") }
      pages += 1
      guard pages <= 100_000, page.next == nil || page.next != token else {
        throw S3Fault(.failed, "the listing of the server has no end")
      }
      try body(page)
      token = page.next
    } while token != nil
  }

  // MARK: Writing

  func replace(_ key: String, _ bytes: [UInt8]) throws(S3Fault) {
    let answer = try ask(Ask(method: "PUT", key: key), bytes) { $0.isOfStore }
    guard answer.status == 200 else { throw S3Fault(.failed, "the server does not take the object") }
  }

  /// Writes an object that is not there; where the server makes no condition of that, it is looked first.
  func put(_ key: String, _ bytes: [UInt8]) throws(S3Fault) {
    let mark = try S3Client.mark()
    let known = shared.state.with { $0.once }
    if known != .honoured, try look(key) != .free { throw .exists }
    guard try put(key, bytes, mark, conditional: known != .ignored) else {
      shared.state.with { $0.once = .honoured }
      // An answer that was lost, or a request that came twice, is no other writer.
      if try look(key) == .taken(mark: mark) { return }
      throw .exists
    }
    guard case .unknown = known else { return }
    // Who writes much finds out: what was just written cannot be written once more, and if it can, it is the same.
    let isTest = shared.state.with { state in
      guard case .unknown(let now) = state.once else { return false }
      state.once = .unknown(puts: now + 1)
      return now == 3
    }
    guard isTest else { return }
    let isIgnored = try put(key, bytes, mark, conditional: true)
    shared.state.with { $0.once = isIgnored ? .ignored : .honoured }
  }

  /// - Returns: false if there is such an object.
  private func put(_ key: String, _ bytes: [UInt8], _ mark: String, conditional: Bool) throws(S3Fault) -> Bool {
    var headers = [(S3Client.markHeader, mark)]
    if conditional { headers.append(("if-none-match", "*")) }
    do throws(S3Fault) {
      let answer = try ask(Ask(method: "PUT", key: key, headers: headers), bytes) { $0.isOfStore }
      if answer.status == 404 { throw S3Fault(.failed, "the server does not take the object") }
      return answer.status != 412
    } catch {
      guard conditional, error.code == .unsupported else { throw error }
      shared.state.with { $0.once = .ignored }
      return try put(key, bytes, mark, conditional: false)
    }
  }

  static func mark() throws(S3Fault) -> String {
    do throws(SystemError) { return Hex.text(try Random.bytes(8)) } catch { throw S3Fault(.failed, error.reason) }
  }
}

/// Which part of an object an answer has: `bytes 0-99/1234`.
package struct S3Range: Equatable {
  let first: Int64
  let last: Int64
  let size: Int64

  package init?(_ answer: Transport.Answer) {
    switch answer.status {
    // What is not there has no range.
    case 404, 416: (first, last, size) = (0, -1, 0)
    case 200, 206:
      guard let text = answer.headers["content-range"], text.hasPrefix("bytes ") else { return nil }
      let parts = text.dropFirst(6).split { $0 == "-" || $0 == "/" }
      guard parts.count == 3, let first = Wire.number(parts[0]), let last = Wire.number(parts[1]),
        let size = Wire.number(parts[2]), first <= last, last < size
      else { return nil }
      (self.first, self.last, self.size) = (first, last, size)
    default: return nil
    }
  }

  /// Whether it is what was asked for: all of it, or up to the end of the object.
  package func isAnswer(from offset: Int64, count: Int, got: Int) -> Bool {
    if last < first { return true }
    return first == offset && last == min(offset + Int64(count), size) - 1 && got == last - first + 1
  }
}

extension Transport.Answer {
  /// Success with an object comes with its tag; without one it comes from somebody in between.
  var isOfStore: Bool { headers["etag"] != nil || !isSuccess }
}
