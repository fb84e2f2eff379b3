import SeaCommands
import SeaCore
import Testing

/// Local times in the zones of TZif files. The expected times were computed with `zoneinfo` of Python.
@Suite struct TimeZoneTests {
  @Test(arguments: TimeZoneTests.local) func timesOfLocalTimeAreThoseOfPython(vector: Vector) throws {
    let zone = try #require(TimeZone(vector.zone, bytes(TimeZoneTests.files[vector.zone] ?? "")))
    #expect(zone.times(seconds(vector.local)) == vector.times)
  }

  @Test(arguments: TimeZoneTests.rules) func ruleAfterTableIsThatOfPOSIX(vector: Vector) throws {
    let zone = try #require(TimeZone("x", file(footer: vector.zone)))
    #expect(zone.times(seconds(vector.local)) == vector.times)
  }

  @Test func fileOfVersion1HasNoRule() throws {
    let file = file(version: 0, transitions: [0, 86400])
    let zone = try #require(TimeZone("x", Array(file.prefix(file.count / 2))))
    #expect(zone.times(-1) == [-1])
    #expect(zone.times(0) == [])
    #expect(zone.times(3600) == [0])
    #expect(zone.times(86400 + 1800) == [86400 - 1800, 86400 + 1800])
    #expect(zone.times(4_000_000_000) == [4_000_000_000])
  }

  @Test func damagedFilesAreRefusedOrReadWithoutCrash() {
    let file = bytes(TimeZoneTests.files["Europe/Zurich"]!)
    for count in 0..<file.count { #expect(TimeZone("x", Array(file.prefix(count))) == nil) }
    for k in file.indices {
      for bit in 0..<8 {
        var damaged = file
        damaged[k] ^= 1 << bit
        for time: Int64 in [-62_135_596_800, 0, 253_402_300_799] { _ = TimeZone("x", damaged)?.times(time) }
      }
    }
  }

  @Test(arguments: [
    "CET-1CEST", "CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.6.0,M10.5.0", "CET-1CEST,M13.5.0,M10.5.0", "CE-1",
    "<+0>-1", "CET", "CET-168", "CET-1x", "CET-1CEST,J0,J3", "CET-1CEST,M3.5.0,M10.5.0x", "CET-1CEST,366,1",
  ])
  func invalidRuleIsRefused(rule: String) { #expect(TimeZone("x", file(footer: rule)) == nil) }

  @Test func leapSecondsAreRefused() {
    var file = file(footer: "UTC0")
    #expect(TimeZone("x", file) != nil)
    // The number of leap seconds in the header behind the first block, and one leap second before the rule.
    file[57 + 31] = 1
    file.insert(contentsOf: [UInt8](repeating: 0, count: 12), at: file.count - "\nUTC0\n".utf8.count)
    #expect(TimeZone("x", file) == nil)
  }

  @Test(arguments: [
    "", "..", "../etc/localtime", "Europe/../Europe/Zurich", "/etc/localtime", "Europe", "Nowhere/At_All", "a\u{0}b",
    "zone.tab", "Europe/Zürich",
  ])
  func nameOutsideOfZonesIsRefused(name: String) {
    #expect(throws: ColumnTypeFault.unknownZone(name, folder: "/usr/share/zoneinfo")) { try TimeZone.named(name) }
  }

  @Test func utcNeedsNoFile() throws { #expect(try TimeZone.named("UTC").times(5) == [5]) }

  struct Vector: Sendable {
    var zone: String
    var local: String
    var times: [Int64]

    init(_ zone: String, _ local: String, _ times: [Int64]) {
      (self.zone, self.local, self.times) = (zone, local, times)
    }
  }

  private func seconds(_ local: String) -> Int64 { Instant.parse(local + "Z")! / 1000 }

  private func bytes(_ base64: String) -> [UInt8] {
    let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    let digits = base64.utf8.compactMap { letters.firstIndex(of: $0) }
    return (0..<digits.count * 6 / 8).map { k in
      let bits = (0..<8).map { bit in digits[(8 * k + bit) / 6] >> (5 - (8 * k + bit) % 6) & 1 }
      return UInt8(bits.reduce(0) { $0 << 1 | $1 })
    }
  }

  /// A file with the offsets 0 and 3600, and a transition to the second one at each odd place.
  private func file(version: UInt8 = 0x32, transitions: [Int64] = [], footer: String = "") -> [UInt8] {
    func block(_ width: Int) -> [UInt8] {
      func number(_ value: Int64, _ width: Int) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: value >> Int64(8 * (width - 1 - $0))) }
      }
      let counts = [0, 0, 0, transitions.count, 2, 1].flatMap { number(Int64($0), 4) }
      return Array("TZif".utf8) + [version] + [UInt8](repeating: 0, count: 15) + counts
        + transitions.flatMap { number($0, width) } + transitions.indices.map { UInt8(1 - $0 % 2) }
        + number(0, 4) + [0, 0] + number(3600, 4) + [0, 0] + [0]
    }
    return version == 0 ? block(4) + block(4) : block(4) + block(8) + Array("\n\(footer)\n".utf8)
  }

  /// Gaps, overlaps, times before 1970 and after 2037, and a zone of the southern hemisphere.
  static let local: [Vector] = [
    Vector("Europe/Zurich", "1850-01-01T00:00:00", [-3_786_827_648]),
    Vector("Europe/Zurich", "1853-07-16T00:00:00", [-3_675_198_586]),
    Vector("Europe/Zurich", "1894-06-01T00:15:00", []),
    Vector("Europe/Zurich", "1941-05-05T01:30:00", []),
    Vector("Europe/Zurich", "1941-10-06T01:30:00", [-891_131_400, -891_127_800]),
    Vector("Europe/Zurich", "1969-12-31T23:59:59", [-3601]),
    Vector("Europe/Zurich", "1980-07-01T12:00:00", [331_297_200]),
    Vector("Europe/Zurich", "1981-03-29T02:30:00", []),
    Vector("Europe/Zurich", "1981-07-01T12:00:00", [362_829_600]),
    Vector("Europe/Zurich", "2026-03-29T01:59:59", [1_774_745_999]),
    Vector("Europe/Zurich", "2026-03-29T02:00:00", []),
    Vector("Europe/Zurich", "2026-03-29T02:59:59", []),
    Vector("Europe/Zurich", "2026-03-29T03:00:00", [1_774_746_000]),
    Vector("Europe/Zurich", "2026-10-25T01:59:59", [1_792_886_399]),
    Vector("Europe/Zurich", "2026-10-25T02:00:00", [1_792_886_400, 1_792_890_000]),
    Vector("Europe/Zurich", "2026-10-25T02:30:00", [1_792_888_200, 1_792_891_800]),
    Vector("Europe/Zurich", "2026-10-25T03:00:00", [1_792_893_600]),
    Vector("Europe/Zurich", "2038-07-01T00:00:00", [2_161_548_000]),
    Vector("Europe/Zurich", "2040-03-25T02:30:00", []),
    Vector("Europe/Zurich", "2040-10-28T02:30:00", [2_234_997_000, 2_235_000_600]),
    Vector("Europe/Zurich", "2100-01-01T00:00:00", [4_102_441_200]),
    Vector("Europe/Zurich", "2400-07-01T00:00:00", [13_585_183_200]),
    Vector("Europe/Zurich", "9999-12-31T23:59:59", [253_402_297_199]),
    Vector("Europe/Zurich", "0001-01-02T00:00:00", [-62_135_512_448]),
    Vector("Australia/Lord_Howe", "1970-01-01T00:00:00", [-36_000]),
    Vector("Australia/Lord_Howe", "1981-03-01T00:15:00", []),
    Vector("Australia/Lord_Howe", "2026-01-01T00:00:00", [1_767_186_000]),
    Vector("Australia/Lord_Howe", "2026-04-05T01:29:59", [1_775_312_999]),
    Vector("Australia/Lord_Howe", "2026-04-05T01:45:00", [1_775_313_900, 1_775_315_700]),
    Vector("Australia/Lord_Howe", "2026-07-01T00:00:00", [1_782_826_200]),
    Vector("Australia/Lord_Howe", "2026-10-04T02:15:00", []),
    Vector("Australia/Lord_Howe", "2026-10-04T02:30:00", [1_791_041_400]),
    Vector("Australia/Lord_Howe", "2050-01-01T00:00:00", [2_524_568_400]),
    Vector("Australia/Lord_Howe", "2050-04-03T01:45:00", [2_532_523_500, 2_532_525_300]),
    Vector("Australia/Lord_Howe", "2050-10-02T02:15:00", []),
    Vector("Australia/Lord_Howe", "2050-07-01T00:00:00", [2_540_208_600]),
    Vector("America/Nuuk", "1900-01-01T00:00:00", [-2_208_976_384]),
    Vector("America/Nuuk", "2023-03-25T22:30:00", []),
    Vector("America/Nuuk", "2024-03-30T23:30:00", []),
    Vector("America/Nuuk", "2024-10-26T23:30:00", [1_729_989_000, 1_729_992_600]),
    Vector("America/Nuuk", "2060-03-27T23:30:00", []),
    Vector("America/Nuuk", "2060-10-30T23:30:00", [2_866_408_200, 2_866_411_800]),
    Vector("America/Nuuk", "2060-07-01T00:00:00", [2_855_869_200]),
  ]

  /// The times of `59,299` are those of glibc, because Python counts these days from 1.
  static let rules: [Vector] = [
    Vector("IST-2IDT,M3.4.4/26,M10.5.0", "2026-03-27T02:30:00", []),
    Vector("IST-2IDT,M3.4.4/26,M10.5.0", "2026-10-25T01:30:00", [1_792_881_000, 1_792_884_600]),
    Vector("IST-2IDT,M3.4.4/26,M10.5.0", "2026-06-01T00:00:00", [1_780_261_200]),
    Vector("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-01-15T12:00:00", [1_768_478_400]),
    Vector("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-15T12:00:00", [1_784_113_200]),
    Vector("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-10-25T01:30:00", [1_792_888_200, 1_792_891_800]),
    Vector("IST-1GMT0,M10.5.0,M3.5.0/1", "2026-03-29T01:30:00", []),
    Vector("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-03-28T23:30:00", []),
    Vector("<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "2026-10-24T23:30:00", [1_792_888_200, 1_792_891_800]),
    Vector("XXX3EDT4,0/0,J365/23", "2026-01-01T00:30:00", [1_767_241_800]),
    Vector("XXX3EDT4,0/0,J365/23", "2026-12-31T23:30:00", [1_798_774_200]),
    Vector("XXX3EDT4,0/0,J365/23", "2024-12-31T23:30:00", [1_735_702_200]),
    Vector("AAA-5BBB,J60,J300/0:30:15", "2024-03-01T02:30:00", []),
    Vector("AAA-5BBB,J60,J300/0:30:15", "2023-03-01T02:30:00", []),
    Vector("AAA-5BBB,J60,J300/0:30:15", "2024-10-26T23:45:00", [1_729_964_700, 1_729_968_300]),
    Vector("AAA-5BBB,J60,J300/0:30:15", "2024-02-29T02:30:00", [1_709_155_800]),
    Vector("AAA5BBB4:15,59,299", "2024-02-29T02:30:00", []),
    Vector("AAA5BBB4:15,59,299", "2023-03-01T02:30:00", []),
    Vector("NZST-12NZDT,M9.5.0,M4.1.0/3", "2030-01-01T00:00:00", [1_893_409_200]),
    Vector("NZST-12NZDT,M9.5.0,M4.1.0/3", "2030-07-01T00:00:00", [1_909_051_200]),
    Vector("NZST-12NZDT,M9.5.0,M4.1.0/3", "2030-09-29T02:30:00", []),
    Vector("NZST-12NZDT,M9.5.0,M4.1.0/3", "2030-04-07T02:30:00", [1_901_712_600, 1_901_716_200]),
  ]

  /// Files without the times that the rule says, from `zic -b slim`.
  static let files: [String: String] = [
    "Europe/Zurich": """
    VFppZjIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAVFppZjIAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAAlAAAABAAAABH/////JPDqgP////9x1AaG/////8oXagD/////yuJxAP/////L90wA/////8zCUwAAAAAAFSPr
    kAAAAAAWE9yQAAAAABcDzZAAAAAAF/O+kAAAAAAY46+QAAAAABnToJAAAAAAGsORkAAAAAAbvL0QAAAAABysrhAAAAAAHZyfEAAA
    AAAejJAQAAAAAB98gRAAAAAAIGxyEAAAAAAhXGMQAAAAACJMVBAAAAAAIzxFEAAAAAAkLDYQAAAAACUcJxAAAAAAJgwYEAAAAAAn
    BUOQAAAAACf1NJAAAAAAKOUlkAAAAAAp1RaQAAAAACrFB5AAAAAAK7T4kAAAAAAspOmQAAAAAC2U2pAAAAAALoTLkAAAAAAvdLyQ
    AAAAADBkrZAAAAAAMV3ZEAEDAgMCAwIDAgMCAwIDAgMCAwIDAgMCAwIDAgMCAwIDAgMCAwIAAAgAAAAAAAb6AAQAABwgAQgAAA4Q
    AA1MTVQAQk1UAENFU1QAQ0VUAApDRVQtMUNFU1QsTTMuNS4wLE0xMC41LjAvMwo=
    """,
    "Australia/Lord_Howe": """
    VFppZjIAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAVFppZjIAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAAA4AAAABQAAABn/////cxZ33AAAAAAU/mbgAAAAABY4QPgAAAAAFueKaAAAAAAYIV14AAAAABjHbGgAAAAAGgE/
    eAAAAAAap05oAAAAABvhIXgAAAAAHIcwaAAAAAAdwQN4AAAAAB55jnAAAAAAH5eq+AAAAAAgWXBwAAAAACGAx3gAAAAAIkKM8AAA
    AAAjaeP4AAAAACQibvAAAAAAJUnF+AAAAAAl79vwAAAAACcpp/gAAAAAJ8+98AAAAAApCYn4AAAAACmvn/AAAAAAKulr+AAAAAAr
    mLxwAAAAACzSiHgAAAAALXiecAAAAAAusmp4AAAAAC9YgHAAAAAAMJJMeAAAAAAxXUxwAAAAADJyLngAAAAAMz0ucAAAAAA0UhB4
    AAAAADUdEHAAAAAANjHyeAAAAAA2/PJwAAAAADgbDvgAAAAAONzUcAAAAAA5p+J4AAAAADq8tnAAAAAAO9rS+AAAAAA8pdLwAAAA
    AD26tPgAAAAAPoW08AAAAAA/mpb4AAAAAEBllvAAAAAAQYOzeAAAAABCRXjwAAAAAENjlXgAAAAARC6VcAAAAABFQ3d4AAAAAEYF
    PPAAAAAARyNZeAAAAABH95PwAQMCAwIDAgMCAwQDBAMEAwQDBAMEAwQDBAMEAwQDBAMEAwQDBAMEAwQDBAMEAwQDBAMEAwQDBAMA
    AJUkAAAAAIygAAQAAKG4AQkAAJOoAA8AAJqwARVMTVQAQUVTVAArMTEzMAArMTAzMAArMTEACjwrMTAzMD4tMTA6MzA8KzExPi0x
    MSxNMTAuMS4wLE00LjEuMAo=
    """,
    "America/Nuuk": """
    VFppZjMAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAQAAAAEAAAAAAAAAVFppZjMAAAAAAAAAAAAAAAAAAAAAAAAA
    AAAAAAAAAAAAAABZAAAABAAAAAz/////m4BoAAAAAAATTXxQAAAAABQz+pAAAAAAFSPrkAAAAAAWE9yQAAAAABcDzZAAAAAAF/O+
    kAAAAAAY46+QAAAAABnToJAAAAAAGsORkAAAAAAbvL0QAAAAABysrhAAAAAAHZyfEAAAAAAejJAQAAAAAB98gRAAAAAAIGxyEAAA
    AAAhXGMQAAAAACJMVBAAAAAAIzxFEAAAAAAkLDYQAAAAACUcJxAAAAAAJgwYEAAAAAAnBUOQAAAAACf1NJAAAAAAKOUlkAAAAAAp
    1RaQAAAAACrFB5AAAAAAK7T4kAAAAAAspOmQAAAAAC2U2pAAAAAALoTLkAAAAAAvdLyQAAAAADBkrZAAAAAAMV3ZEAAAAAAycrQQ
    AAAAADM9uxAAAAAANFKWEAAAAAA1HZ0QAAAAADYyeBAAAAAANv1/EAAAAAA4G5SQAAAAADjdYRAAAAAAOft2kAAAAAA6vUMQAAAA
    ADvbWJAAAAAAPKZfkAAAAAA9uzqQAAAAAD6GQZAAAAAAP5sckAAAAABAZiOQAAAAAEGEORAAAAAAQkYFkAAAAABDZBsQAAAAAEQl
    55AAAAAARUP9EAAAAABGBcmQAAAAAEcj3xAAAAAAR+7mEAAAAABJA8EQAAAAAEnOyBAAAAAASuOjEAAAAABLrqoQAAAAAEzMv5AA
    AAAATY6MEAAAAABOrKGQAAAAAE9ubhAAAAAAUIyDkAAAAABRV4qQAAAAAFJsZZAAAAAAUzdskAAAAABUTEeQAAAAAFUXTpAAAAAA
    ViwpkAAAAABW9zCQAAAAAFgVRhAAAAAAWNcSkAAAAABZ9SgQAAAAAFq29JAAAAAAW9UKEAAAAABcoBEQAAAAAF207BAAAAAAXn/z
    EAAAAABflM4QAAAAAGBf1RAAAAAAYX3qkAAAAABiP7cQAAAAAGNdzJAAAAAAZB+ZEAAAAABlPa6QAQIBAgECAQIBAgECAQIBAgEC
    AQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAgECAQIBAwP//8+A
    AAD//9XQAAT//+PgAQj//+PgAAhMTVQALTAzAC0wMgAKPC0wMj4yPC0wMT4sTTMuNS4wLy0xLE0xMC41LjAvMAo=
    """,
  ]
}
