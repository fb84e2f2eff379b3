import SeaCore
import Testing

@Suite struct NumberOrderTests {
  /// Each less than the next.
  private static let ascending = [
    #"{"$decimal":"-1E9000"}"#, #"{"$int":"-18446744073709551617"}"#, "-2", "-1.5", #"{"$decimal":"-1.49"}"#,
    "-5e-324", "0", "5e-324", "2.2250738585072014e-308", #"{"$decimal":"0.1"}"#, "0.1", "0.5", "1", "1.5",
    #"{"$decimal":"1.50000000000000000000001"}"#, "2", "9007199254740993", "18446744073709551615",
    #"{"$int":"18446744073709551616"}"#, #"{"$int":"18446744073709551617"}"#, "1e23",
    #"{"$int":"100000000000000000000000"}"#, "1.7976931348623157e308", #"{"$decimal":"1E9000"}"#,
  ]

  @Test func numbersCompareExactly() throws {
    let values = try NumberOrderTests.ascending.map { try Value.json($0) }
    for (i, a) in values.enumerated() {
      for (j, b) in values.enumerated() {
        let order = try #require(Value.compareNumbers(a, b))
        #expect(order.signum() == (i - j).signum(), "\(NumberOrderTests.ascending[i]) \(NumberOrderTests.ascending[j])")
      }
    }
  }

  @Test(arguments: [
    ("1.5", #"{"$decimal":"1.500"}"#), ("0", #"{"$decimal":"0.00"}"#), ("100", #"{"$decimal":"1E2"}"#),
    ("0.5", #"{"$decimal":"5E-1"}"#), ("1e30", #"{"$int":"1000000000000000019884624838656"}"#),
  ])
  func equalNumbersInTwoFormsCompareEqual(_ a: String, _ b: String) throws {
    #expect(try Value.compareNumbers(.json(a), .json(b)) == 0)
    #expect(try Value.compareNumbers(.json(b), .json(a)) == 0)
  }

  @Test func nonNumbersHaveNoOrder() throws {
    #expect(Value.compareNumbers(.integer(1), .string("1")) == nil)
    #expect(Value.compareNumbers(.date(1), .date(2)) == nil)
    #expect(Value.compareNumbers(.day(1), .day(2)) == nil)
    #expect(Value.compareNumbers(.bool(true), .integer(1)) == nil)
  }
}
