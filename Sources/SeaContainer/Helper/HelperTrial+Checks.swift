import SeaCore
import SeaSystem

extension HelperTrial {
  /// Every byte there is, lines that look like requests among them.
  private static func content(_ count: Int) -> [UInt8] {
    let tail = Array("\nbye\nok 7\n\0\r\n".utf8)
    return (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ $0 >> 8) } + (count > 0 ? tail : [])
  }

  private func get(_ path: String, _ offset: Int64 = 0, _ count: Int64 = 1 << 20) throws -> [UInt8] {
    try ask(.get(path, offset: offset, count: count))
  }

  func missing() throws {
    for request: Wire.Request in [.get(path(77), offset: 0, count: 10), .get("transactions", offset: 0, count: 10)] {
      let code = try refusal(request)
      try need(code == .notFound, "'\(request.line)' of what is not there is not refused with not-found")
    }
    try need(try files("transactions").isEmpty, "a folder that is not there has files")
  }

  func unknown() throws {
    let line = try line()
    let ticket = line.ask(line: "sing a song")
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.unsupported, _) = error else { throw error }
      return try missing()
    }
    throw Wrong("a request that nobody knows is not refused with unsupported")
  }

  func put() throws {
    for (index, size) in [0, 1, 1000, 100_000].enumerated() {
      let (path, content) = (path(UInt32(index)), HelperTrial.content(size))
      _ = try ask(.put(path, size: Int64(content.count)), content)
      try need(try get(path) == content, "a file of \(content.count) bytes does not come back as it was put")
    }
    _ = try ask(.flush)
  }

  func range() throws {
    let content = HelperTrial.content(100_000)
    for (offset, count) in [(0, 10), (5, 0), (99_990, 500), (50_000, 20_000), (100_013, 10), (1_000_000, 10)] {
      let part = Array(content.dropFirst(offset).prefix(count))
      try need(
        try get(path(3), Int64(offset), Int64(count)) == part, "get with \(offset) \(count) gives other bytes")
    }
  }

  func once() throws {
    let code = try refusal(.put(path(2), size: 5), Array("flush".utf8))
    try need(code == .exists, "put of a file that is there is not refused with exists")
    try need(try get(path(2)) == HelperTrial.content(1000), "put has changed a file that was there")
  }

  func list() throws {
    let want = [0, 1, 1000, 100_000].enumerated().map { (path(UInt32($0)), HelperTrial.content($1).count) }
    for folder in [nil, "transactions", "transactions/\(HelperTrial.chain)/1"] {
      let have = try files(folder)
      try need(
        have.map(\.path) == want.map(\.0).sorted()
          && have.allSatisfy { file in
            want.contains { $0.0 == file.path && $0.1 == file.size }
          }, "list \(folder ?? ".") does not name exactly the files that are there, with their sizes")
    }
    try need(try files("assets").isEmpty, "list of another folder names files of this one")
  }

  /// Requests that are sent before the answers were read.
  func order() throws {
    let line = try line()
    var tickets: [(HelperTicket, [UInt8]?)] = []
    for round in 0..<40 {
      let path = path(100 + UInt32(round))
      let content = HelperTrial.content(round * 50)
      let request = Wire.Request.put(path, size: Int64(content.count))
      tickets.append((content.withUnsafeBytes { line.ask(request, $0) }, nil))
      tickets.append((line.ask(.get(path, offset: 0, count: 1 << 16)), content))
      tickets.append((line.ask(.delete(path)), nil))
    }
    for (ticket, content) in tickets {
      try line.finish(ticket)
      if let content { try need(ticket.bytes == content, "of several requests at once one has the answer of another") }
    }
  }

  func replace() throws {
    let hint = HelperNames.Meaning.small(.heads, HelperTrial.chain.instance.description).path
    for content in [[], HelperTrial.content(10), HelperTrial.content(3)] {
      _ = try ask(.replace(hint, size: Int64(content.count)), content)
      try need(try get(hint) == content, "replace does not leave what was given")
    }
    _ = try ask(.delete(hint))
  }

  func move() throws {
    let aside = Layout.aside(path(2), "00000000")
    _ = try ask(.move(path(2), to: aside))
    try need(try refusal(.get(path(2), offset: 0, count: 1)) == .notFound, "a file is still there after move")
    try need(try get(aside) == HelperTrial.content(1000), "a file is another one after move")
    try need(
      try refusal(.move(path(2), to: Layout.aside(path(2), "00000001"))) == .notFound,
      "move of what is not there is not refused with not-found")
    _ = try ask(.put(path(2), size: 1), [7])
    try need(try refusal(.move(path(2), to: aside)) == .exists, "move onto a file is not refused with exists")
    try need(try get(aside) == HelperTrial.content(1000), "move has replaced a file")
    _ = try ask(.delete(aside))
  }

  func delete() throws {
    _ = try ask(.delete(path(2)))
    try need(try refusal(.get(path(2), offset: 0, count: 1)) == .notFound, "a file is still there after delete")
    try need(try refusal(.delete(path(2))) == nil, "delete of what is not there is refused")
    try need(try refusal(.delete(path(5_000_000))) == nil, "delete in a folder that is not there is refused")
  }

  func large() throws {
    let content = [UInt8]((0..<9 << 20).map { UInt8(truncatingIfNeeded: $0 >> 3) })
    _ = try ask(.put(path(9), size: Int64(content.count)), content)
    for start in stride(from: 0, to: content.count, by: 4 << 20) {
      let part = Array(content[start..<min(content.count, start + 4 << 20)])
      try need(try get(path(9), Int64(start), 4 << 20) == part, "a file of 9 MiB does not come back as it was put")
    }
    _ = try ask(.delete(path(9)))
  }

  /// Another run of the program sees what this one has done.
  func anew() throws {
    _ = try ask(.flush)
    try line().close()
    try need(try get(path(1)) == HelperTrial.content(1), "what was put is not there for the next one")
    for index in 0..<4 as Range<UInt32> { _ = try ask(.delete(path(index))) }
  }

  /// One line waits while another one writes.
  func news() throws {
    let path = path(500)
    _ = try ask(.put(path, size: 0), [])
    _ = try ask(.flush)
    let listener = try helpers.start(place)
    try listener.finish(listener.greet())
    let ticket = listener.ask(.await(60))
    try listener.finish(ticket, most: 30) { ticket.waitsSince != nil }
    let before = ticket.news.count
    _ = try ask(.put(self.path(501), size: 0), [])
    try listener.finish(ticket, most: 30) { ticket.news.count > before }
    // What is asked behind it ends it.
    try listener.finish(listener.ask(.flush), most: 30)
    listener.close()
    for index: UInt32 in [500, 501] { _ = try ask(.delete(self.path(index))) }
  }

  func farewell() throws {
    let line = try line()
    try line.finish(line.ask(.bye))
    let ending = try hangUp()
    try need(ending == .exited(0), "after bye it ends with status \(ending?.status ?? 0)")
  }

  func endOfInput() throws {
    _ = try line()
    let ending = try hangUp()
    try need(ending == .exited(0), "at the end of its input it ends with status \(ending?.status ?? 0)")
  }
}
