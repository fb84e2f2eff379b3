import CSQLite
import SeaCore

/// Arithmetic with every digit: sea-query(7). The results are texts with all digits.
enum DecimalFunction {
  static func call(_ name: String, _ context: OpaquePointer?, _ values: [OpaquePointer?]) throws {
    guard let a = try QueryFunctions.decimal(values[0], of: name),
      let b = try QueryFunctions.decimal(values[1], of: name)
    else { return QueryResult.null(context) }
    let result: Decimal?
    switch name {
    case "decimal_add": result = a.adding(b)
    case "decimal_sub": result = a.adding(b.negated)
    case "decimal_mul": result = a.multiplied(by: b)
    default:
      guard let places = Int(b.exponent == 0 ? b.description : ""), places.magnitude <= BigInteger.maxDigits else {
        throw QueryFault.failed("decimal_round: the second argument is no number of places")
      }
      result = a.rounded(places: places)
    }
    guard let result else { throw QueryFault.failed("\(name): the number would have too many digits") }
    QueryResult.text(context, result.description)
  }
}
