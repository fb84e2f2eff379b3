import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// How long a helper is waited for by a run that has so much time and no more.
@Suite struct HelperTimeTests {
  /// A helper is asked in a run that has so many nanoseconds, and is left when they are over, not before and not much later.
  private func expectLate(_ helpers: Helpers, after time: Int64) {
    let start = Clock.monotonic()
    helpers.ends = start + time
    let container = HelperContainer(HelperPlace("thread:")!, helpers)
    #expect(throws: ContainerError.helper(.late, place: "thread:")) { try container.info() }
    let took = Clock.monotonic() - start
    #expect(took >= time && took < 60_000_000_000)
  }

  /// When a run is over, what is said to take long is not waited for, nor is who says nothing; however long they might otherwise.
  @Test(arguments: ["wait", "waits", "silence"]) func helperIsAwaitedOnlyUntilDeadline(what: String) {
    let helpers = Helpers.threads { far in
      while let line = far.line() {
        guard !line.hasPrefix("sea-helper") || !far.say("sea-helper 1\n") else { continue }
        if what == "wait" { far.say("wait\n") }
        while what == "waits", far.say("wait\n") { Clock.sleep(nanoseconds: 50_000_000) }
        far.waitForEnd()
      }
    }
    helpers.silence = 1000
    expectLate(helpers, after: 300_000_000)
  }

  /// What drips moves, and comes to no end: whoever has no more time does not wait for it, though one who has would.
  @Test(arguments: ["answer", "listing"]) func drippingAnswerIsAbandonedAtDeadline(what: String) {
    let helpers = Helpers.threads { far in
      while let line = far.line() {
        guard !line.hasPrefix("sea-helper") || !far.say("sea-helper 1\n") else { continue }
        if what == "answer", line.hasPrefix("list"), far.say("ok\n") { continue }
        if what == "answer", line.hasPrefix("get"), far.say("ok 60000\n") {
          for _ in 0..<60_000 where far.say("        ") { Clock.sleep(nanoseconds: 10_000_000) }
        }
        var number = 0
        while what == "listing", far.say("file 1 1 x\(number)\n") {
          number += 1
          Clock.sleep(nanoseconds: 10_000_000)
        }
        far.waitForEnd()
      }
    }
    helpers.silence = 2
    expectLate(helpers, after: 1_500_000_000)
  }

  /// What was begun before the run was over is handed over, if it takes long: one thing is moved in any case.
  @Test func startedWriteFinishesAfterDeadline() throws {
    let info = Specimen.info.text
    let helpers = Helpers.threads { far in
      while let line = far.line() {
        if line.hasPrefix("sea-helper") { far.say("sea-helper 1\n") }
        if line == "list ." || line == "flush" || line == "bye" { far.say("ok\n") }
        if line.hasPrefix("get info.json") { far.say("ok \(info.utf8.count)\n\(info)") }
        guard line.hasPrefix("put ") else { continue }
        for _ in 0..<8 where far.say("wait\n") { Clock.sleep(nanoseconds: 100_000_000) }
        far.say("ok\n")
      }
    }
    helpers.ends = Clock.monotonic() + 300_000_000
    let container = HelperContainer(HelperPlace("thread:")!, helpers)
    let bytes = [UInt8](repeating: 0x0A, count: 65_536)
    try container.write(String(repeating: "ab", count: 32), bytes, in: .keys)
    #expect(Clock.monotonic() > helpers.ends)
  }
}
