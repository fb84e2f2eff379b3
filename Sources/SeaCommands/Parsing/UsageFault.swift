package enum UsageFault: Error, Equatable {
  case noCommand
  /// The index of an argument that is not valid UTF-8. The first argument after the program name has index 1.
  case notUTF8(Int)
  case unknownCommand(String, similar: String?)
  /// The record is missing: an assignment, or nothing at all, was given instead.
  case noRecordBefore(String?)
  case unknownOption(String, command: String?, similar: String?)
  case missingValue(option: String, metavar: String)
  case unexpectedValue(option: String)
  /// An option that takes one value was given twice.
  case repeated(option: String)
  case badValue(option: String, value: String, expected: ValueKind)
  case missingOperand(String)
  /// One operand too many. The command name is set if the command checks its operands early.
  case extraOperand(String, command: String? = nil)
  case excluded([String])
  case needsOneOf([String])
  case needs(option: String, with: String)
  case oneInput([String])
  case severalDocuments(String)
  case noFormat(String, command: String)
  case unknownField(String, known: [String])
  case badFormat(String)
  case badTime(String)
  /// An invalid operand; `beside` lists the options that were given without a value.
  case badOperand(name: String, value: String, expected: ValueKind, beside: [String])
  case settingWithoutValue(String, beside: [String])
  case badAssignment(String)
  /// An assignment to `_type`, which is not permitted.
  case typeAssigned(String, type: String)
  /// An asset was given as text instead of a file; `meant` is the correct form with a file.
  case assetWithoutFile(String, meant: String)
  /// An unknown value type; `similar` is the most similar known type.
  case unknownValueType(String, similar: String?, known: [String])
  /// A column with its type and form, and the reason why the form is invalid.
  case badColumnType(String, ColumnTypeFault)
  case badPick(String)
  /// A variable that would reveal a secret to other users.
  case secretVariable(String)
}

/// Why the form of a column type, in brackets, is invalid.
package enum ColumnTypeFault: Error, Equatable, Sendable {
  case noForms(type: String)
  case badField(String, allowed: [String])
  case missingField([String], for: String?)
  /// Two fields, or a field and a time zone, that say the same.
  case excludedFields([String])
  /// Local times without a time zone.
  case missingZone(form: String)
  case unknownZone(String, folder: String)
  case badZone(String, path: String)
  case badExample(isInteger: Bool)
  case badWords
}
