import SeaCore
import Testing

/// Passwords: what is the same one, and what is none.
@Suite struct PasswordTests {
  static let slot: Slot? = {
    guard let key = EpochKey(number: 1, bytes: [UInt8](repeating: 5, count: 32)) else { return nil }
    return try? Slot.password(
      Password.normalized(Array("Gr\u{FC}\u{DF}e".utf8)), key, database: SlotTests.database, rounds: 50_000,
      salt: SlotTests.salt, iv: SlotTests.iv)
  }()

  private func opens(_ bytes: [UInt8]) throws -> Bool {
    let slot = try #require(Self.slot)
    do {
      return try slot.open(password: Password.normalized(bytes)).number == 1
    } catch CoreError.badSlot(.badCommitment) {
      return false
    }
  }

  @Test func onlyEquivalentPasswordsOpenTheSlot() throws {
    #expect(try opens(Array("Gr\u{FC}\u{DF}e".utf8)))
    #expect(try opens(Array("Gru\u{308}\u{DF}e".utf8)), "decomposed")
    for other in [
      "Gr\u{FC}\u{DF}e\n", "Gr\u{FC}\u{DF}e\r\n", " Gr\u{FC}\u{DF}e", "gr\u{FC}\u{DF}e", "Gr\u{FC}sse",
      "Gr\u{FC}\u{DF}", "x",
    ] {
      #expect(try !opens(Array(other.utf8)), "\(other.debugDescription)")
    }
  }

  @Test func passwordSizeIsLimited() throws {
    #expect(try !opens([UInt8](repeating: 0x61, count: 1 << 20)))
    #expect(throws: CoreError.badPassword(.tooLong)) {
      try Password.normalized([UInt8](repeating: 0x61, count: 1 << 20 + 1))
    }
    let marked = (0..<1024).reduce("e") { $1 % 2 == 0 ? $0 + "\u{301}" : $0 + "\u{327}" }
    let normal = try Password.normalized(Array(marked.utf8))
    #expect(try Password.normalized(normal) == normal)
    #expect(throws: CoreError.badPassword(.tooManyMarks)) { try Password.normalized(Array((marked + "\u{301}").utf8)) }
  }

  @Test func invalidPasswordsAreRefused() throws {
    #expect(throws: CoreError.badPassword(.empty)) { try Password.normalized([]) }
    for bytes in [[0xFF], [0x61, 0xC3], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]] {
      #expect(throws: CoreError.badPassword(.notUTF8)) { try Password.normalized(bytes) }
    }
    // U+0378, U+FDD0, U+10FFFF, U+E0080.
    for bytes in [[0xCD, 0xB8], [0xEF, 0xB7, 0x90], [0xF4, 0x8F, 0xBF, 0xBF], [0x61, 0xF3, 0xA0, 0x82, 0x80]]
      as [[UInt8]]
    {
      #expect(throws: CoreError.badPassword(.unassigned)) { try Password.normalized(bytes) }
    }
    for character in ["\u{E000}", "\u{1FAEA}"] {
      #expect(try Password.normalized(Array(character.utf8)) == Array(character.utf8))
    }
    // HMAC fills its key up with zeros: it would be the same password without the last byte.
    for bytes in [[0], [0x61, 0], [0, 0x61], [0xC3, 0xBC, 0]] as [[UInt8]] {
      #expect(throws: CoreError.badPassword(.zeroByte)) { try Password.normalized(bytes) }
    }
    // A key may be made of nothing, but the slot of it is no slot of these words.
    #expect(throws: CoreError.badSlot(.badCommitment)) { try #require(Self.slot).open(password: []) }
  }

  /// NFC and not NFKC: what only looks alike stays different.
  @Test(arguments: [
    ("e\u{301}", "\u{E9}"), ("\u{212B}", "\u{C5}"), ("\u{1100}\u{1161}\u{11A8}", "\u{AC01}"), ("\u{FB01}", "\u{FB01}"),
    ("a\u{323}\u{307}", "\u{1EA1}\u{307}"), ("a\u{307}\u{323}", "\u{1EA1}\u{307}"), ("\u{958}", "\u{915}\u{93C}"),
    ("\u{1F600}", "\u{1F600}"), ("\u{301}", "\u{301}"),
  ])
  func passwordIsNormalizedToNFC(_ text: String, _ expected: String) throws {
    #expect(try Password.normalized(Array(text.utf8)) == Array(expected.utf8))
  }

  @Test func secretsAreComparedAndWiped() {
    #expect(Secret.equal([], []) && Secret.equal([1, 2], [1, 2]))
    #expect(!Secret.equal([1, 2], [1, 3]) && !Secret.equal([1], [1, 0]) && !Secret.equal([], [0]))
    var bytes: [UInt8] = [1, 2, 3]
    Secret.wipe(&bytes)
    #expect(bytes.isEmpty)
    Secret.wipe(&bytes)
  }
}
