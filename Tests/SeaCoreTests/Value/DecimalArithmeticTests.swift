import SeaCore
import SeaTestSupport
import Testing

@Suite struct DecimalArithmeticTests {
  private func decimal(_ text: String) throws -> Decimal {
    let value = try Value.json("{\"$decimal\":\"\(text)\"}")
    var decimal: Decimal?
    if case .decimal(let found) = value { decimal = found }
    return try #require(decimal)
  }

  @Test(arguments: [
    ("12.50", 1, "12.5"), ("0.05", 1, "0.1"), ("-0.05", 1, "-0.1"), ("0.04", 1, "0.0"), ("9.995", 2, "10.00"),
    ("1e3", 0, "1000"), ("7", 2, "7.00"), ("0.001", 1, "0.0"), ("99.5", 0, "100"), ("-2.5", 0, "-3"), ("0", 3, "0.000"),
    ("5", -1, "1E+1"), ("4", -1, "0E+1"), ("44", -2, "0E+2"),
  ]) func halfRoundsAwayFromZero(text: String, places: Int, wanted: String) throws {
    let rounded = try #require(try decimal(text).rounded(places: places))
    #expect(rounded.exponent == -places)
    #expect(try rounded.mantissa == decimal(wanted).rounded(places: places)?.mantissa)
  }

  /// With numbers whose sums and products an Int128 holds, and with those that are far too long for it.
  @Test func multiplicationIsCommutativeAndDistributive() throws {
    var random = SeededRandom(TestSeed.value)
    func any(_ digits: Int) throws -> Decimal {
      var text = random.next() & 1 == 0 ? "-" : ""
      for _ in 0..<(1 + Int(random.next() % UInt64(digits))) { text += String(random.next() % 10) }
      return try decimal("\(text)e\(Int(random.next() % 12) - 6)")
    }
    for round in 0..<400 {
      let most = round % 2 == 0 ? 9 : 200
      let (a, b, c) = (try any(most), try any(most), try any(most))
      let left = try #require(a.multiplied(by: b.adding(c)!))
      let right = try #require(a.multiplied(by: b)!.adding(a.multiplied(by: c)!))
      #expect(left.adding(right.negated)!.mantissa.magnitude.isEmpty)
      #expect(a.multiplied(by: b) == b.multiplied(by: a))
      if most == 9 {
        let product = Int128(a.mantissa.int64!) * Int128(b.mantissa.int64!)
        #expect(a.multiplied(by: b) == Decimal(exponent: a.exponent + b.exponent, mantissa: BigInteger(product)))
      }
    }
  }

  @Test func resultWithTooManyDigitsIsRefused() throws {
    let long = try decimal(String(repeating: "9", count: 2000))
    #expect(long.multiplied(by: long) == nil)
    #expect(long.rounded(places: 1000) == nil)
    #expect(long.rounded(places: 20_000) == nil)
    #expect(try decimal("1e9000").multiplied(by: decimal("1e9000")) == nil)
    #expect(try decimal("1e9000").adding(decimal("1")) == nil)
  }
}
