import SeaStore
import SeaSystem
import SeaTestSupport
import Testing

/// Who may read and write at the same time, and what is left of the log.
@Suite struct StoreAccessTests {
  private let scratch: ScratchFolder

  init() throws {
    scratch = try ScratchFolder()
    try Store.create(folder: scratch.path, meta: [("n", .text("0"))])
  }

  private func open(_ access: Store.Access, wait: Double? = 1) throws -> Store {
    try Store(folder: scratch.path, access: access, lockWait: wait, command: "test")
  }

  private func set(_ store: Store, _ text: String) throws {
    try store.write { try store.setMeta("n", .text(text)) }
  }

  private func logSize() throws -> Int64 { try Path.status(Path.join(scratch.path, "db-wal"))?.size ?? 0 }

  @Test func readersSeeOneSnapshotAndDoNotBlockWriters() throws {
    let (writer, reader, other) = (try open(.write), try open(.read), try open(.read))
    defer { for store in [reader, other, writer] { store.close() } }
    try reader.snapshot {
      #expect(try reader.metaText("n") == "0")
      for k in 1...3 { try set(writer, String(k)) }
      #expect(try reader.metaText("n") == "0")
      #expect(try other.metaText("n") == "3")
      try writer.write {
        try writer.setMeta("n", .text("4"))
        #expect(try other.metaText("n") == "3")
      }
    }
    #expect(try reader.metaText("n") == "4")
  }

  @Test func logShrinksAfterLongReaderEnds() throws {
    let (writer, reader) = (try open(.write), try open(.read))
    let long = String(repeating: "x", count: 100_000)
    try reader.snapshot {
      _ = try reader.metaText("n")
      for k in 1...100 { try set(writer, "\(k)\(long)") }
      // What the reader sees must stay, so the log had to grow.
      #expect(try logSize() > 5_000_000)
    }
    try set(writer, "1\(long)")
    try set(writer, "2\(long)")
    #expect(try logSize() < 5_000_000)
    for k in 3...6 { try set(writer, "\(k)\(long)") }
    writer.close()
    #expect(try logSize() == 0)
    #expect(try reader.metaText("n") == "6\(long)")
    reader.close()
  }

  @Test func theLogDoesNotGrowWithoutBound() throws {
    let writer = try open(.write)
    defer { writer.close() }
    let long = String(repeating: "x", count: 100_000)
    for k in 1...200 { try set(writer, "\(k)\(long)") }
    #expect(try logSize() < 10_000_000)
  }

  @Test func closingWriterDoesNotWaitForLock() throws {
    let (writer, holder) = (try open(.write, wait: 60), try open(.write))
    try set(writer, String(repeating: "x", count: 1_000_000))
    try holder.locked {
      let before = try logSize()
      #expect(before > 500_000)
      let start = Clock.monotonic()
      writer.close()
      #expect(Clock.monotonic() - start < 5_000_000_000)
      // Nobody moves the log but who holds the lock.
      #expect(try logSize() == before)
      try holder.write { try holder.setMeta("n", .text("1")) }
    }
    holder.close()
    #expect(try logSize() == 0)
  }

  @Test func closingReaderLeavesLogUnchanged() throws {
    let writer = try open(.write)
    try set(writer, "1")
    writer.close()
    let before = try logSize()
    let reader = try open(.read)
    #expect(try reader.metaText("n") == "1")
    reader.close()
    #expect(try before > 0 && logSize() == before)
  }

  @Test func lockTimeoutNamesHolder() throws {
    let (holder, waiting) = (try open(.write), try open(.write, wait: 0.2))
    defer { waiting.close() }
    defer { holder.close() }
    try holder.locked {
      let start = Clock.monotonic()
      do {
        try set(waiting, "1")
        Issue.record("two writers")
      } catch StoreError.locked(let text, _) {
        #expect(text.hasPrefix("\(ThisProcess.processID()) ") && text.contains("test"))
      }
      let waited = Clock.monotonic() - start
      #expect(waited > 150_000_000 && waited < 5_000_000_000)
    }
    try set(waiting, "1")
  }

  @Test func nextWriterRemovesAbandonedTemporaryFile() throws {
    let name = try AtomicFile.temporaryName()
    _ = try File(Path.join(scratch.path, name), [.write, .create])
    let writer = try open(.write)
    try set(writer, "1")
    writer.close()
    #expect(try Path.exists(Path.join(scratch.path, name)) == false)
  }

  @Test func aFailedTransactionLeavesNothing() throws {
    struct Stop: Error {}
    let writer = try open(.write)
    defer { writer.close() }
    #expect(throws: Stop.self) {
      try writer.write {
        try writer.setMeta("n", .text("1"))
        throw Stop()
      }
    }
    #expect(try writer.metaText("n") == "0")
    try set(writer, "2")
    #expect(try writer.metaText("n") == "2")
  }

  @Test func compactReturnsFreeSpace() throws {
    let store = try open(.write)
    defer { store.close() }
    func fill(_ bytes: [UInt8]) throws {
      try store.write { for k in 0..<40 { try store.setMeta("big\(k)", .blob(bytes)) } }
    }
    try fill([UInt8](repeating: 7, count: 100_000))
    let moved = try store.locked { try store.disk.compact() }
    #expect(moved > 0)
    let full = try store.disk.bytes()
    #expect(full > 4_000_000)
    #expect(try store.disk.spareBytes() == 0)
    try fill([])
    #expect(try store.disk.spareBytes() > 4_000_000 - 200_000)
    let given = try store.locked { try store.disk.compact() }
    #expect(given > 3_900_000)
    #expect(try store.disk.bytes() < 300_000)
    #expect(try store.metaText("n") == "0")
    #expect(try store.metaBlob("big39") == [])
  }
}
