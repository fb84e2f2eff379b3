import SeaContainer
import SeaSystem

/// A session with one client, which translates the protocol of sea-helpers(5) into requests for a bucket.
package final class S3Session {
  /// The size in bytes above which files are transferred in parts.
  static let piece = 8 << 20
  private static let connections = 8
  private static let mostConnections = 64

  private let wire: ServerWire
  private let output: File
  private let jobs: Int
  private let board = Board()
  private var shared: S3Shared?
  private var client: S3Client?

  /// - Parameter jobs: the value of `SEA_HELPER_JOBS`, the maximum number of concurrent requests.
  package init(reading input: File, writing output: File, jobs: String?) {
    self.jobs = jobs.flatMap { Int($0) }.map { min(max($0, 1), S3Session.mostConnections) } ?? S3Session.connections
    wire = ServerWire(
      read: { (buffer) throws(SystemError) in try input.readSome(into: buffer) },
      write: { (bytes) throws(SystemError) in try output.write(bytes) })
    self.output = output
  }

  /// Answers requests until the client says goodbye or closes the connection.
  package func run(_ location: String, _ settings: () throws(WireRefusal) -> S3Settings) throws {
    var workers: [Worker] = []
    defer {
      board.end()
      for worker in workers { worker.wait() }
    }
    try wire.serve(
      greet: { [self] in
        guard let place = S3Location(location) else {
          throw WireRefusal(.failed, "invalid S3 location: expected s3://BUCKET or s3://BUCKET/PREFIX")
        }
        let shared = S3Shared(place, try settings())
        _ = try shared.credentials()
        (self.shared, client) = (shared, try S3Client(shared))
        workers = try (0...jobs).map { _ in try Worker() }
        let (board, output) = (board, output)
        workers[0].start { board.answer { (bytes) throws(SystemError) in try output.write(bytes) } }
        for worker in workers.dropFirst() {
          worker.start { if let client = try? S3Client(shared) { board.work(client) } }
        }
        return (.everything, [])
      }, waits: { [board] in if board.isDeaf { throw SystemError.short("bucket") } }, say: board.add, reply: reply)
  }

  private func reply(_ request: Wire.Request) throws(SystemError) {
    let location = shared!.location
    switch request {
    // An object store makes every write durable.
    case .flush, .bye, .greet: board.add(.ok(nil))
    case .await: board.add(.error(WireCode.unsupported.rawValue, "S3 does not support change notification"))
    case .list(let folder): board.alone { list(folder, $0) }
    case .get(let path, let offset, let count):
      if count > S3Session.piece { return board.alone { get(location.key(path), offset, count, $0) } }
      board.add(path, weight: Int(count)) { (client) throws(WireRefusal) in
        try client.read(location.key(path), from: offset, count: Int(count))
      }
    case .put(let path, let size) where size > S3Session.piece: try upload(path, size, replaces: false)
    case .replace(let path, let size) where size > S3Session.piece: try upload(path, size, replaces: true)
    case .put(let path, let size):
      let bytes = try read(size)
      board.add(path, weight: bytes.count) { (client) throws(WireRefusal) in
        try client.put(location.key(path), bytes)
        return nil
      }
    case .replace(let path, let size):
      let bytes = try read(size)
      board.add(path, weight: bytes.count) { (client) throws(WireRefusal) in
        try client.replace(location.key(path), bytes)
        return nil
      }
    case .delete(let path):
      board.add(path, weight: 0) { (client) throws(WireRefusal) in
        try client.delete(location.key(path))
        return nil
      }
    case .move(let path, let other):
      board.alone { speaker in
        answer(speaker) { (client) throws(WireRefusal) in
          guard try client.copy(location.key(path), to: location.key(other)) else { throw .notFound }
          try client.delete(location.key(path))
        }
      }
    }
  }

  private func answer(_ speaker: Board.Speaker, _ body: (S3Client) throws(WireRefusal) -> Void) {
    do throws(WireRefusal) {
      try body(client!)
      speaker.say(.ok(nil))
    } catch {
      speaker.say(error.answer)
    }
  }

  private func read(_ size: Int64) throws(SystemError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(size))
    do {
      try wire.read(size) { bytes.append(contentsOf: $0) }
    } catch let error as ServerWire.Broken {
      throw error.error
    } catch {
      throw SystemError.short("standard input")
    }
    return bytes
  }

  private func list(_ folder: String?, _ speaker: Board.Speaker) {
    answer(speaker) { (client) throws(WireRefusal) in
      let location = client.location
      var isThere = folder != nil
      try client.list(folder.map { location.key($0) + "/" } ?? location.prefix) { (page) throws(WireRefusal) in
        var lines: [UInt8] = []
        for object in page.objects {
          guard let path = location.path(object.key) else { continue }
          isThere = true
          let file = WireFile(path: path, size: object.size, time: object.time)
          lines += Array((Wire.Answer.file(file).line + "\n").utf8)
        }
        if !lines.isEmpty { speaker.send(lines) }
      }
      guard isThere else { throw .notFound }
    }
  }

  /// Sends, in pieces, a range that is too large for memory. Each piece is sent only after it has been received
  /// completely.
  private func get(_ key: String, _ offset: Int64, _ count: Int64, _ speaker: Board.Speaker) {
    var left = count
    do throws(WireRefusal) {
      let size = try client!.size(of: key)
      left = max(0, min(count, size - offset))
      speaker.say(.ok(left))
    } catch {
      return speaker.say(error.answer)
    }
    var at = offset
    while left > 0 {
      let want = Int(min(left, Int64(S3Session.piece)))
      guard let bytes = try? client!.read(key, from: at, count: want), bytes.count == want else {
        // The client expects these bytes, so the only way to report the error is to close the connection.
        return board.hangUp()
      }
      speaker.send(bytes)
      at += Int64(want)
      left -= Int64(want)
    }
  }

  private func upload(_ path: String, _ size: Int64, replaces: Bool) throws(SystemError) {
    let end = wire.used + size
    let key = shared!.location.key(path)
    let parts = S3Upload.partSize(of: size)
    var broken: SystemError?
    board.alone { speaker in
      answer(speaker) { (client) throws(WireRefusal) in
        var upload = try S3Upload(client, key, size: size, replaces: replaces)
        do {
          while wire.used < end, upload.fault == nil {
            upload.add(try read(min(parts, end - wire.used)), board)
          }
        } catch { broken = error as? SystemError ?? SystemError.short("standard input") }
        if broken != nil { upload.leave(WireRefusal(.failed, "the upload was incomplete")) }
        try upload.finish()
      }
      if broken == nil {
        do throws(SystemError) { try wire.skip(to: end) } catch { broken = error }
      }
    }
    if let broken { throw broken }
  }
}
