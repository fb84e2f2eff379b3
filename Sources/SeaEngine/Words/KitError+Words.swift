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
    case .notAnAsset: "this is not an asset"
    case .otherKind: "what all records of the type have there is of another kind"
    case .noSemanticType: "a dictionary, a counter or a set has no semantic type"
    case .notACounter: "this is neither a counter nor a set, so nothing can be added"
    case .notASet: "this is not a set"
    case .notAnArray: "the elements of a set are a JSON array"
    case .tooLong: "the data has more bytes than core.maxDataSize allows"
    case .notText: "the value is not UTF-8 text"
    case .outOfRange: "the sum is beyond what a counter can hold"
    case .computedNull: "the expression gives NULL, and there is a value"
    case .computedInfinite: "the expression gives a number without end"
    case .computedInexact: "it has all its digits, and the expression gives a number that has not"
    case .copiedLoss:
      "the expression names what has values that the JSON of SQL does not keep, such as dates or decimals"
    case .computedLoss: "it has values that the JSON of SQL does not keep, such as dates or decimals"
    }
  }

  package func hint(_ path: String) -> String? {
    switch self {
    case .notACounter:
      "a number grows by: \(path):sql='\(path) + 1'; a counter is made of it by: \(path):counter=N --replace-type; "
        + "a new one: \(path):counter+=1 or \(path):set+=TEXT"
    case .otherKind: "if it is to be of another one, say it in JSON: TYPE:\(path):=JSON"
    case .notADate: Failure.times
    case .notADecimal: Failure.point
    case .notText: "bytes that are no text: \(path):data@FILE"
    case .tooLong: Failure.largeData
    case .computedNull: "to leave it as it is: coalesce(…, \(path)); to remove it: --unset=\(path)"
    case .computedInexact: "with every digit: decimal_mul(\(path), 1.1), decimal_round(…, 2); see sea-query(7)"
    case .copiedLoss: "the name of a property alone copies it as it is"
    case .computedLoss: "set what is within: \(path).NAME:sql=…"
    default: nil
    }
  }
}

extension AssetState {
  /// Describes the state of the content.
  package var words: String {
    switch self {
    case .good: "it is good"
    case .missing: "a file of it is missing"
    case .wrongSize(let place): "file \(place) has the wrong size"
    case .wrongDigest: "its SHA-256 is another"
    case .sealed(let place, let fault): "file \(place) does not open: \(fault.rawValue)"
    case .noKey: "no key opens it"
    case .badReference: "content of that size does not lie in so many files"
    }
  }
}
