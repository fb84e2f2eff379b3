import SeaContainer
import SeaCore
import SeaEngine
import SeaSystem
import SeaTestSupport
import Testing

/// The findings of the doctor; a check that could not look is never ok.
@Suite struct DoctorTests {
  private func codes(_ database: Database, _ check: Check) -> [String] {
    database.doctor.examine(check).findings.map { "\($0.fact)".split(separator: "(").first.map(String.init) ?? "" }
  }

  @Test func everyCheckListsExaminedItems() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    try one.exchange("team")
    for check in Check.allCases where check != .hooks && check != .copied && check != .permissions {
      let examined = one.doctor.examine(check)
      #expect(examined.findings.isEmpty && examined.unexamined.isEmpty, "\(check)")
      #expect(!examined.counts.isEmpty, "\(check)")
    }
  }

  @Test func checkWithoutInputReportsUnexamined() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    // This world keeps no notes about writers.
    #expect(one.doctor.examine(.copied).unexamined.count == 1)
    try Path.rename(world.scratch.path("team"), to: world.scratch.path("elsewhere"))
    // An unavailable container is reported once and is not a finding.
    #expect(one.doctor.examine(.containers).unavailable == ["team"] && codes(one, .containers).isEmpty)
    for check in [Check.cloudDebris, .missing, .unverified, .temporaries, .diskSpace] {
      let examined = one.doctor.examine(check)
      #expect(examined.unexamined.isEmpty && examined.findings.isEmpty && examined.unavailable.isEmpty, "\(check)")
    }
    try world.scratch.write("team/info.json", Array("{".utf8))
    for check in [Check.cloudDebris, .missing, .unverified, .temporaries] {
      let examined = one.doctor.examine(check)
      #expect(examined.unexamined.map(\.subject) == ["team"] && examined.findings.isEmpty, "\(check)")
    }
  }

  @Test func weakSlotsAreFoundInEncryptedDatabases() throws {
    let sealed = try MemberWorld(sealed: true).founder("one", ["team"], members: false)
    #expect(codes(sealed, .keyDerivation) == ["weakSlots"])
    let plain = try MemberWorld(sealed: false).founder("one", ["team"], members: false)
    #expect(codes(plain, .keyDerivation).isEmpty)
    #expect(plain.doctor.examine(.keyDerivation).counts == [.init(kind: .slot, count: 0)])
  }

  @Test func clockSetBackByDayIsFound() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try one.put("a", [("n", .integer(1))])
    world.settings.clock = { Clock.now() - 86_400_000 }
    one.close()
    #expect(try codes(world.reopened("one"), .clock) == ["setBack"])
    world.settings.clock = { Clock.now() - 60_000 }
    #expect(try codes(world.reopened("one"), .clock).isEmpty)
  }

  /// Of many foreign files, the first are listed and the others are counted.
  @Test func cloudDebrisListIsLimited() throws {
    let world = try SyncWorld()
    let one = try world.instance("one")
    try world.attach("team", to: one)
    try one.put("a", [("n", .integer(1))])
    try one.exchange("team")
    let block = try world.scratch.bytes(world.blockPath("team", one.instance, 1))
    for k in 0..<30 { try world.scratch.write("\(world.blockPath("team", one.instance, 1)) (copy \(k))", block) }
    let facts = codes(one, .cloudDebris)
    #expect(facts == [String](repeating: "copyOf", count: 20) + ["more"])
    // Unknown blocks are not suggested for deletion.
    let two = try world.instance("two")
    try two.put("b", [("n", .integer(2))])
    try world.attach("other", to: two)
    try two.exchange("other")
    let foreign = try world.scratch.bytes(world.blockPath("other", two.instance, 1))
    try world.scratch.write("\(world.blockPath("team", one.instance, 1)) (0)", foreign)
    #expect(codes(one, .cloudDebris).first == "unknownBlocks")
  }
}
