import SeaCore
import SeaTestSupport
import Testing

@Suite struct RecordNumberTests {
  static let cases: [(json: String, cbor: String, out: String?)] = [
    ("0", "00", nil), ("-0", "00", "0"), ("-0.0", "00", "0"), ("0e999999999999", "00", "0"), ("1", "01", nil),
    ("10", "0a", nil), ("23", "17", nil), ("24", "1818", nil), ("25", "1819", nil), ("100", "1864", nil),
    ("1000", "1903e8", nil), ("1000000", "1a000f4240", nil), ("1000000000000", "1b000000e8d4a51000", nil),
    ("-1", "20", nil), ("-10", "29", nil), ("-100", "3863", nil), ("-1000", "3903e7", nil),
    ("1.0", "01", "1"), ("1e3", "1903e8", "1000"), ("120e-1", "0c", "12"), ("1.0e0", "01", "1"),
    ("9007199254740992", "1b0020000000000000", nil),
    ("9007199254740993", "1b0020000000000001", #"{"$int":"9007199254740993"}"#),
    ("-9007199254740992", "3b001fffffffffffff", nil),
    ("-9007199254740993", "3b0020000000000000", #"{"$int":"-9007199254740993"}"#),
    ("18446744073709551615", "1bffffffffffffffff", #"{"$int":"18446744073709551615"}"#),
    ("18446744073709551616", "c249010000000000000000", #"{"$int":"18446744073709551616"}"#),
    ("-18446744073709551616", "3bffffffffffffffff", #"{"$int":"-18446744073709551616"}"#),
    ("-18446744073709551617", "c349010000000000000000", #"{"$int":"-18446744073709551617"}"#),
    ("18446744073709551615.0", "1bffffffffffffffff", #"{"$int":"18446744073709551615"}"#),
    ("-1.8446744073709551616e19", "3bffffffffffffffff", #"{"$int":"-18446744073709551616"}"#),
    ("18446744073709551616.0", "c48200c249010000000000000000", #"{"$decimal":"18446744073709551616"}"#),
    ("1.8446744073709552e19", "fa5f800000", "1.8446744073709552e+19"),
    ("0.5", "f93800", nil), ("1.5", "f93e00", nil), ("-4.1", "fbc010666666666666", nil),
    ("1.1", "fb3ff199999999999a", nil), ("5.960464477539063e-8", "f90001", "5.960464477539063e-08"),
    ("0.00006103515625", "f90400", "6.103515625e-05"), ("3.4028234663852886e+38", "fa7f7fffff", nil),
    ("1.0e+300", "fb7e37e43c8800759c", "1e+300"), ("1e23", "fb44b52d02c7e14af6", "1e+23"),
    ("5e-324", "fb0000000000000001", nil), ("1.7976931348623157e308", "fb7fefffffffffffff", "1.7976931348623157e+308"),
    ("0.1", "fb3fb999999999999a", nil), ("0.30000000000000004", "fb3fd3333333333334", nil),
    ("0.10", "fb3fb999999999999a", "0.1"), ("100000.5", "fa47c35040", nil),
    ("0.1000000000000000055511151231257827", "c4823821c24e314dc6448d933986922312364ce3", nil),
    ("0.30000000000000000004", "c48233c24901a055690d9db80004", nil),
    ("1e400", "c48219019001", #"{"$decimal":"1E+400"}"#), ("1e-400", "c48239018f01", #"{"$decimal":"1E-400"}"#),
    ("3e-324", "c48239014303", #"{"$decimal":"3E-324"}"#),
    ("123456789012345678901.5", "c48220c24942ed123b0bd8203a17", nil),
    ("1e10000", "c48219271001", #"{"$decimal":"1E+10000"}"#),
    (#"{"$int":"7"}"#, "07", "7"), (#"{"$int":"-007"}"#, "26", "-7"), (#"{"$int":"-0"}"#, "00", "0"),
    (#"{"$decimal":"12.50"}"#, "c482211904e2", nil), (#"{"$decimal":"12.5"}"#, "c48220187d", nil),
    (#"{"$decimal":"0.00"}"#, "c4822100", nil), (#"{"$decimal":"-0.00"}"#, "c4822100", #"{"$decimal":"0.00"}"#),
    (#"{"$decimal":"1200"}"#, "c482001904b0", nil), (#"{"$decimal":"1.2E+3"}"#, "c482020c", nil),
    (#"{"$decimal":"-1.25E-48"}"#, "c4823831387c", nil), (#"{"$decimal":"0E+5"}"#, "c4820500", nil),
    (#"{"$decimal":"0.0001"}"#, "c4822301", nil),
    (#"{"$decimal":"18446744073709551616"}"#, "c48200c249010000000000000000", nil),
  ]

  @Test(arguments: cases.indices) func numberIsEncodedCanonically(index: Int) throws {
    let (json, cbor, out) = Self.cases[index]
    let bytes = try Value.json(json).encoding
    #expect(Hex.text(bytes) == cbor, "\(json)")
    let printed = try Value.json(json).json()
    if let out { #expect(printed == out) }
    #expect(try Value.json(printed).encoding == bytes)
    if out == nil, !cbor.hasPrefix("c482") || json.hasPrefix("{") { #expect(printed == json) }
  }

  @Test func digitsOfDecimalsAreKept() throws {
    for digits in ["0.1000000000000000055511151231257827", "0.30000000000000000004", "123456789012345678901.5"] {
      #expect(try Value.json(digits).json() == "{\"$decimal\":\"\(digits)\"}")
    }
  }

  @Test func integerSizeIsLimited() throws {
    let most = BigInteger(isNegative: false, magnitude: [UInt8](repeating: 255, count: 1024))
    let digits = String(decoding: most.digits, as: UTF8.self)
    #expect(digits.count == BigInteger.maxDigits)
    for text in [digits, "-" + digits] {
      let value = try Value.json(text)
      #expect(try value.json() == "{\"$int\":\"\(text)\"}")
      try RecordSupport.validate([0xA1, 0x61, 0x61] + value.encoding)
    }
    // −2^8192 is stored as 2^8192 − 1 and just fits; 2^8192 does not.
    let next = BigInteger(isNegative: true, magnitude: [1] + [UInt8](repeating: 0, count: 1024))
    let nextDigits = String(decoding: next.digits, as: UTF8.self)
    #expect(try Value.json("-" + nextDigits) == .bigInteger(next))
    #expect(RecordSupport.refusal("{\"a\":\(nextDigits)}") == .badJSON(.numberOutOfRange, offset: 5))
    #expect(
      RecordSupport.refusal("{\"a\":\(String(repeating: "9", count: 100_000))}")
        == .badJSON(.numberOutOfRange, offset: 5))
  }

  @Test(arguments: ["1e10001", "1e-10001", "1e99999999999999999999", "-1E-99999999999999999999"])
  func exponentsBeyondTheLimitAreRefused(text: String) {
    #expect(RecordSupport.refusal("{\"a\":\(text)}") == .badJSON(.numberOutOfRange, offset: 5))
  }

  @Test func doublesRoundTripThroughJSON() throws {
    var generator = ValueGenerator(TestSeed.value &+ 99)
    for _ in 0..<4000 {
      let double = generator.double()
      let bytes = Value.double(double).encoding
      let text = try Value.double(double).json()
      #expect(try Value.json(text).encoding == bytes, "\(double)")
      switch try bytes.withUnsafeBufferPointer({ try Value.decode(value: $0) }) {
      case .double(let back): #expect(back.bitPattern == double.bitPattern)
      case .integer(let back): #expect(Double(back) == double)
      case .bigInteger: #expect(double.rounded() == double && double.magnitude <= 0x1p64)
      default: Issue.record("\(double) is no number any more")
      }
    }
  }

  @Test func bigIntegersRoundTripThroughJSON() {
    var random = Seeded(TestSeed.value &+ 5)
    for length in [0, 1, 4, 8, 9, 16, 33, 200, 1024] {
      let bytes = (0..<length).map { _ in UInt8.random(in: 1...255, using: &random) }
      let value = BigInteger(isNegative: false, magnitude: bytes)
      let text = String(decoding: value.digits, as: UTF8.self)
      #expect((try? Value.json(text)) == Value(value))
    }
  }
}
