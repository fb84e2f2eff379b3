/// What is wrong with a command line.
package enum UsageFault: Error, Equatable {
  case noCommand
  /// The number of an argument that is not UTF-8; the first after the program's name is 1.
  case notUTF8(Int)
  case unknownCommand(String, similar: String?)
  /// What is to be changed stands where the record has to be, or nothing does.
  case noRecordBefore(String?)
  case unknownOption(String, command: String?, similar: String?)
  case missingValue(option: String, metavar: String)
  case unexpectedValue(option: String)
  case badValue(option: String, value: String, expected: ValueKind)
  case missingOperand(String)
  /// And of which command, if its operands are counted as it is read.
  case extraOperand(String, command: String? = nil)
  /// Options that exclude each other.
  case excluded([String])
  /// One of these options or operands is needed.
  case needsOneOf([String])
  /// An option that has a meaning only together with another.
  case needs(option: String, with: String)
  /// Several of these read standard input, which has one reader.
  case oneInput([String])
  /// An option that is for one document, and there are several.
  case severalDocuments(String)
  /// An output format that the command does not have.
  case noFormat(String, command: String)
  case unknownField(String, known: [String])
  case badFormat(String)
  case badTime(String)
  /// And the options that were given without a value.
  case badOperand(name: String, value: String, expected: ValueKind, beside: [String])
  /// A setting is to be set, and nothing says to what; and the options that were given without a value.
  case settingWithoutValue(String, beside: [String])
  /// What should be `KEY=VALUE` or one of its other forms.
  case badAssignment(String)
  /// `_type=TYPE`, and that type.
  case typeAssigned(String, type: String)
  /// An asset that is given as a text, and the same with a file.
  case assetWithoutFile(String, meant: String)
  /// It has a type that there is not; one that was probably meant.
  case unknownValueType(String, similar: String?, known: [String])
  /// What should be `PATH=CHOICE`.
  case badPick(String)
  /// A variable that would put a secret where others can read it.
  case secretVariable(String)
}
