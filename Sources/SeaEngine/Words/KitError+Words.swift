import SeaCore

extension KitError.ContainerField {
  package var words: String {
    switch self {
    case .database: "database"
    case .contentType: "content type"
    }
  }
}

extension KitError.BadValue {
  package var words: String {
    switch self {
    case .notAnInteger: "the value is not an integer"
    case .notADecimal: "the value is not a decimal number"
    case .notADate: "the value is not a date"
    case .notADay: "the value is not a day of the years 0001 to 9999"
    case .notAnAsset: "this is not an asset"
    case .otherKind: "all records of the type have a value of another kind here"
    case .noSemanticType: "a dictionary, a counter or a set has no semantic type"
    case .notACounter: "cannot add: this is neither a counter nor a set"
    case .notASet: "this is not a set"
    case .notAnArray: "expected a JSON array with the elements of the set"
    case .tooLong: "the data exceeds core.maxDataSize"
    case .notText: "the value is not UTF-8 text"
    case .outOfRange: "the sum is too large for a counter"
    case .computedNull: "the expression yields NULL, but the property has a value"
    case .computedInfinite: "the expression yields an infinite number"
    case .computedInexact: "the expression yields a rounded number, but the value is an exact decimal"
    case .copiedLoss: "the expression would lose types that SQL JSON does not support, such as dates, days or decimals"
    case .computedLoss: "the value has types that SQL JSON does not support, such as dates, days or decimals"
    }
  }

  package func hint(_ path: String) -> String? {
    switch self {
    case .notACounter:
      "to add to a number, use \(path):sql='\(path) + 1'; to make it a counter, use \(path):counter=N --replace-type; "
        + "to create a counter or set, use \(path):counter+=1 or \(path):set+=TEXT"
    case .otherKind: "to set another kind, use JSON: TYPE:\(path):=JSON"
    case .notADate: Failure.times
    case .notADay: Failure.days
    case .notADecimal: Failure.point
    case .notText: "for binary data, use \(path):data@FILE"
    case .tooLong: Failure.largeData
    case .computedNull: "to keep the value, use coalesce(…, \(path)); to remove it, use --unset=\(path)"
    case .computedInexact: "for exact results, use decimal_mul(\(path), 1.1) or decimal_round(…, 2); see sea-query(7)"
    case .copiedLoss: "to copy a property unchanged, use only its name"
    case .computedLoss: "to set a value inside it, use \(path).NAME:sql=…"
    default: nil
    }
  }
}

extension AssetState {
  package var words: String {
    switch self {
    case .good: "good"
    case .missing: "a file is missing"
    case .wrongSize(let place): "file \(place) has the wrong size"
    case .wrongDigest: "its digest differs"
    case .wrongPieces(let ranges): AssetRanges.detail(Array(ranges.prefix(1))) + " are damaged"
    case .wrongList(let place): "file \(place) is not the right list of pieces"
    case .sealed(let place, let fault): "file \(place) cannot be decrypted: \(fault.rawValue)"
    case .noKey: "key not available"
    case .badReference: "the size does not match the number of files"
    }
  }
}
