import SeaCore
import SeaTestSupport
import Testing

/// Slots: Tests/vectors/slot, and that nothing can be changed in one without being found.
@Suite struct SlotTests {
  static let database = UUID("34e95080-cd14-8342-bda3-b8a9fc844579")!
  static let salt = [UInt8](112..<128)
  static let iv = [UInt8](100..<112)
  static let secret = SHA256.hash(Array("sea vector exchange field".utf8)).bytes

  static func epoch(_ text: some StringProtocol) -> EpochKey? {
    let parts = text.split(separator: " ")
    guard parts.count == 2, let number = UInt32(parts[0]), let bytes = Hex.bytes(String(parts[1])) else { return nil }
    return EpochKey(number: number, bytes: bytes)
  }

  /// Opens a slot with a secret as the vectors write it.
  static func open(_ slot: Slot, _ secret: String) throws -> EpochKey {
    let space = try #require(secret.firstIndex(of: " "))
    let rest = secret[secret.index(after: space)...]
    switch secret[..<space] {
    case "password": return try slot.open(password: Password.normalized(#require(Hex.bytes(rest))))
    case "exchange": return try slot.open(exchangeSecret: #require(Hex.bytes(rest)))
    default: return try slot.open(under: #require(epoch(rest)))
    }
  }

  static func fault(_ body: () throws -> Void) -> SlotFault? {
    do {
      try body()
      return nil
    } catch CoreError.badSlot(let fault) {
      return fault
    } catch {
      Issue.record("\(error)")
      return nil
    }
  }

  @Test(arguments: Vector.all("slot"))
  func slotMatchesVector(_ vector: Vector) throws {
    var opened: EpochKey?
    var isOther = false
    let fault = Self.fault {
      let slot = try Slot(vector.bytes)
      #expect(slot.bytes == vector.bytes)
      #expect(slot.digest == SHA256.hash(vector.bytes))
      #expect(slot.belongs(to: vector.database))
      isOther = slot.kind == .other
      if let digest = vector.headers["digest"] { #expect(slot.digest.description == digest) }
      guard !vector["secret"].isEmpty else { return }
      opened = try Self.open(slot, vector["secret"])
    }
    #expect((fault?.rawValue ?? (isOther ? "passed-over" : "ok")) == vector["expect"])
    #expect(opened == Self.epoch(vector["opens"]))
  }

  @Test func noVectorIsMissing() { PublishedVectors.counted("slots", Vector.all("slot").count, of: 176) }

  /// What is written here is, byte for byte, what the second writer writes.
  @Test func writtenSlotsMatchVectors() throws {
    let vectors = Dictionary(uniqueKeysWithValues: Vector.all("slot").map { ($0["name"], $0) })
    let key = try #require(EpochKey(number: 3, bytes: [UInt8](0..<32)))
    let old = try #require(EpochKey(number: 2, bytes: [UInt8](32..<64)))
    let words = Array("Grüße aus der Wetterau".utf8)
    let password = try Slot.password(
      words, key, database: Self.database, rounds: 50_000, salt: Self.salt, iv: Self.iv)
    #expect(password.bytes == vectors["password"]?.bytes)
    #expect(password.kind == .password(salt: Self.salt, rounds: 50_000))
    #expect(password.epoch == 3)

    let name = UUID("3d8ea140-cc4f-89ae-9c4e-f5533916077d")!
    let instance = try Slot.instance(
      name, exchange: X25519.publicKey(secret: Self.secret), key, database: Self.database,
      ephemeral: SHA256.hash(Array("sea vector ephemeral".utf8)).bytes)
    #expect(instance.bytes == vectors["instance"]?.bytes)
    #expect(instance.kind == .instance(name))

    let previous = try Slot.previous(old, under: key, database: Self.database, iv: Self.iv)
    #expect(previous.bytes == vectors["previous"]?.bytes)
    #expect(previous.kind == .previous(2))
    #expect(try previous.open(under: key) == old)
    #expect(try Slot(previous.bytes) == previous)

    #expect(Self.fault { _ = try password.open(under: key) } == .wrongKind)
    #expect(Self.fault { _ = try password.open(exchangeSecret: Self.secret) } == .wrongKind)
    #expect(Self.fault { _ = try instance.open(password: words) } == .wrongKind)
    #expect(Self.fault { _ = try previous.open(password: words) } == .wrongKind)
    #expect(Self.fault { _ = try instance.open(under: key) } == .wrongKind)
    #expect(Self.fault { _ = try previous.open(exchangeSecret: Self.secret) } == .wrongKind)
    #expect(Self.fault { _ = try instance.open(exchangeSecret: [1]) } == .badTag)
  }

  /// What nobody could read is not written.
  @Test func slotsWithInvalidParametersAreNotWritten() throws {
    let key = try #require(EpochKey(number: 3, bytes: [UInt8](0..<32)))
    func make(rounds: Int = 50_000, salt: [UInt8] = SlotTests.salt, iv: [UInt8] = SlotTests.iv) throws {
      _ = try Slot.password([1], key, database: Self.database, rounds: rounds, salt: salt, iv: iv)
    }
    for rounds in [Int.min, 0, 49_999, 10_000_001, Int.max] {
      #expect(throws: CoreError.badSlot(.badRounds)) { try make(rounds: rounds) }
    }
    for size in [0, 7, 65, 4096] {
      #expect(throws: CoreError.badSlot(.badEncoding)) { try make(salt: [UInt8](repeating: 0, count: size)) }
    }
    for size in [0, 11, 13] {
      #expect(throws: CoreError.self) { try make(iv: [UInt8](repeating: 0, count: size)) }
    }
    #expect(throws: CoreError.badSlot(.badEncoding)) {
      _ = try Slot.previous(key, under: key, database: Self.database, iv: Self.iv)
    }
    // Another key may have any number: two may begin one at the same time.
    for number in [1, 3, 4, .max] as [UInt32] {
      let old = try #require(EpochKey(number: number, bytes: [UInt8](repeating: 9, count: 32)))
      #expect(try Slot.previous(old, under: key, database: Self.database, iv: Self.iv).open(under: key) == old)
    }
    #expect(EpochKey(number: 0, bytes: key.bytes) == nil)
    #expect(EpochKey(number: 1, bytes: [1]) == nil)
    #expect(throws: CoreError.self) { try Slot([UInt8](repeating: 0x84, count: 1 << 20)) }
  }

  /// A slot as another program may write it.
  private func slot(_ fields: [(String, (inout ByteWriter) -> Void)], items: Int = 1, size: Int = 0) -> [UInt8] {
    var header = ByteWriter()
    header.cborMap(fields.count)
    for (name, value) in fields {
      header.cborText(name)
      value(&header)
    }
    var writer = ByteWriter()
    writer.cborArray(items)
    header.array().withUnsafeBytes { writer.cborData($0) }
    for _ in 1..<items { [UInt8](repeating: 1, count: size).withUnsafeBytes { writer.cborData($0) } }
    return writer.array()
  }

  /// What a later program writes is not for this one, and nothing is wrong with it.
  @Test func unknownSlotKindIsReadButNotOpened() throws {
    let number: (inout ByteWriter) -> Void = { $0.cborHead(0, 7) }
    func text(_ text: String) -> (inout ByteWriter) -> Void { { $0.cborText(text) } }
    for bytes in [
      slot([("slot", text("hardware"))]), slot([("kdf", text("argon2id")), ("slot", text("password"))]),
      slot([("kdf", number), ("slot", text("?")), ("memory", number)], items: 16, size: 4000),
    ] {
      let other = try Slot(bytes)
      #expect(other.kind == .other && other.digest == SHA256.hash(bytes) && other.bytes == bytes)
      #expect(other.belongs(to: Self.database) && !other.isPassword && !other.isPrevious)
      #expect(throws: CoreError.badSlot(.wrongKind)) { try other.open(password: [1]) }
      #expect(throws: CoreError.badSlot(.wrongKind)) {
        try other.open(exchangeSecret: [UInt8](repeating: 1, count: 32))
      }
      let key = try #require(EpochKey(number: 1, bytes: [UInt8](0..<32)))
      #expect(throws: CoreError.badSlot(.wrongKind)) { try other.open(under: key) }
      #expect(!other.isCommitted(to: key))
      for cut in 0..<min(bytes.count, 100) { #expect(throws: CoreError.self) { try Slot(Array(bytes[..<cut])) } }
      #expect(throws: CoreError.self) { try Slot(bytes + [0]) }
    }
    for bad in [
      slot([("slot", number)]), slot([("kind", text("hardware"))]), slot([]), slot([("slot", text("instance"))]),
      slot([("slot", text("x")), ("kdf", text("y"))]), slot([("slot", text("x")), ("slot", text("x"))]),
      slot([("slot", text("x"))], items: 17), slot([("slot", text("x"))], items: 2, size: 65_600),
      slot([("kdf", number), ("slot", text("password"))]),
    ] {
      #expect(throws: CoreError.badSlot(.badEncoding)) { try Slot(bad) }
    }
  }

  /// Every bit of the kinds that are cheap to try, and every byte of a password slot.
  @Test(arguments: ["instance", "previous", "password"])
  func everyFlippedByteIsDetected(_ name: String) throws {
    let vector = try #require(Vector.all("slot").first { $0["name"] == name })
    let slot = try Slot(vector.bytes)
    // The parts behind the header, without their heads: 58 20 commitment, 4c or 58 20 opening, 58 30 wrapped.
    let wrapped = vector.bytes.count - 48
    let opening = wrapped - 2 - (name == "instance" ? 32 : 12)
    let commitment = opening - (name == "instance" ? 2 : 1) - 32
    for k in 0..<vector.bytes.count {
      for bit in name == "password" ? [k % 8] : Array(0..<8) {
        var bytes = vector.bytes
        bytes[k] ^= 1 << UInt8(bit)
        // Rounds that were flipped upwards would only take long.
        if name == "password", case .password(_, let rounds)? = try? Slot(bytes).kind, rounds > 200_000 { continue }
        var isParsed = false
        let fault = Self.fault {
          let flipped = try Slot(bytes)
          isParsed = true
          #expect(flipped.digest != slot.digest)
          _ = try Self.open(flipped, vector["secret"])
        }
        guard let fault else {
          Issue.record("bit \(bit) of byte \(k) is not covered")
          continue
        }
        if !isParsed { #expect(fault == .badEncoding || fault == .badRounds, "byte \(k)") }
        // An X25519 key is below 2^255.
        if !isParsed, name == "instance", k == wrapped - 3, bit == 7 { continue }
        if k >= wrapped || (opening..<wrapped - 2).contains(k) { #expect(fault == .badTag, "byte \(k)") }
        if (commitment..<commitment + 32).contains(k) { #expect(fault == .badCommitment, "byte \(k)") }
      }
    }
    for k in 0..<vector.bytes.count {
      #expect(throws: CoreError.badSlot(.badEncoding)) { try Slot(Array(vector.bytes[..<k])) }
    }
  }

  /// Bytes that are anything come out as a fault.
  @Test func mutatedBytesNeverTrap() {
    var random = SeededRandom(TestSeed.value &+ 7)
    let bases = Vector.all("slot").map(\.bytes)
    for _ in 0..<20_000 {
      var bytes = bases.randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let at = Int.random(in: 0..<bytes.count, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[at] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: at)
        default: bytes.insert(UInt8.random(in: 0...255, using: &random), at: at)
        }
      }
      do {
        let slot = try Slot(bytes)
        #expect(slot.bytes == bytes)
      } catch {
        guard case .badSlot = error else {
          Issue.record("\(error)")
          continue
        }
      }
    }
  }
}
