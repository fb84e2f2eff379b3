package enum UsageFault: Error, Equatable {
  case noCommand
  /// The index of an argument that is not UTF-8; the first after the program's name is 1.
  case notUTF8(Int)
  case unknownCommand(String, similar: String?)
  /// There is an assignment, or nothing, where the record is expected.
  case noRecordBefore(String?)
  case unknownOption(String, command: String?, similar: String?)
  case missingValue(option: String, metavar: String)
  case unexpectedValue(option: String)
  case badValue(option: String, value: String, expected: ValueKind)
  case missingOperand(String)
  /// An operand too many. The command is given if its operands are checked early.
  case extraOperand(String, command: String? = nil)
  case excluded([String])
  /// One of these options or operands is required.
  case needsOneOf([String])
  /// An option that requires another one.
  case needs(option: String, with: String)
  /// Several of these read standard input, which can be read only once.
  case oneInput([String])
  /// An option for a single document was given with several.
  case severalDocuments(String)
  /// An output format that the command does not have.
  case noFormat(String, command: String)
  case unknownField(String, known: [String])
  case badFormat(String)
  case badTime(String)
  /// The last parameter has the options that were given without a value.
  case badOperand(name: String, value: String, expected: ValueKind, beside: [String])
  /// A setting without a value. The last parameter has the options that were given without a value.
  case settingWithoutValue(String, beside: [String])
  /// The text is not `KEY=VALUE` or one of its other forms.
  case badAssignment(String)
  /// `_type=TYPE`, which cannot be assigned.
  case typeAssigned(String, type: String)
  /// An asset with a text instead of a file, and the form with a file.
  case assetWithoutFile(String, meant: String)
  /// An unknown value type, and the most similar known one.
  case unknownValueType(String, similar: String?, known: [String])
  /// The text is not `PATH=CHOICE`.
  case badPick(String)
  /// A variable that would reveal a secret to others.
  case secretVariable(String)
}
