import SeaEngine
import SeaKit
import SeaTestSupport
import Testing

/// What all instances of a database share counts for programs as for commands.
@Suite struct SharedSettingTests {
  private struct Note: SeaRecord, Equatable {
    static let recordType = "note"
    var id: String
    var text: String
  }

  @Test func sharedSettingTurnsCompressionOff() async throws {
    let pair = try await Pair()
    let text = String(repeating: "the same words again and again. ", count: 1000)
    func bytes() async throws -> Int {
      try await pair.one.care.verify().chains.first { $0.instance.isOwn }?.bytes ?? 0
    }
    func size(_ id: String) async throws -> Int {
      let before = try await bytes()
      try await pair.one.save(Note(id: id, text: text))
      return try await bytes() - before
    }
    #expect(try await size("a") < 2000)
    _ = try Pair.withEngine(pair.two) { try $0.sharedSettings.set(#require(ConfigKey("core.compress")), "false") }
    try pair.sync()
    #expect(try await size("b") > 30_000)
    #expect(try await pair.one.fetch(Note.self, id: "b") == Note(id: "b", text: text))
    _ = try Pair.withEngine(pair.one) { try $0.sharedSettings.set(#require(ConfigKey("core.compress")), nil) }
    #expect(try await size("c") < 2000)
  }
}
