import SeaCore
import SeaEngine
import SeaStore
import SeaTestSupport
import Testing

/// A large write can be stopped until it is durable; then nothing of it remains.
@Suite struct WriteStopTests {
  @Test(arguments: [1, 3, 5]) func stoppedWriteWritesNothing(call: Int) throws {
    final class Count { var asked = 0, last = Int.max }
    let count = Count()
    let made = try Database.create(in: ScratchFolder.lasting(), .init(), .init())
    var settings = Settings(access: .write)
    settings.checkStop = {
      count.asked += 1
      if count.asked >= count.last { throw Stopped() }
    }
    let database = try Database(path: made.path, settings)
    defer { database.close() }
    func batch() throws -> WriteBatch {
      let batch = WriteBatch(label: "test")
      for k in 0..<4500 { try batch.add(#"{"_id":"r\#(k)","n":\#(k)}"#) }
      return batch
    }
    let head = try database.store.branches.chain(database.instance)?.head
    count.last = count.asked + call
    // The stop is checked four times during the write, and once before it is durable.
    #expect(throws: Stopped(.nothing)) { _ = try database.records.write(batch()) }
    count.last = .max
    #expect(try database.store.branches.chain(database.instance)?.head == head)
    #expect(try database.queries.count(RecordQuery(RecordFilter())) == 0)
    #expect(try database.records.write(batch()).block != nil)
    #expect(try database.queries.count(RecordQuery(RecordFilter())) == 4500)
  }
}
