import SeaEngine

/// The parsed command line of a command, already checked against its table.
package struct Arguments: Sendable {
  package enum Help: Sendable { case usage, page }

  package internal(set) var operands: [String] = []
  /// The number of operands before `--`; nil without `--`.
  package internal(set) var dashes: Int?
  /// The requested help, instead of a run of the command.
  package internal(set) var help: Help?
  package var values: [(key: String, value: String?)] = []

  package init() {}

  /// The options that were given without a value, with their dashes.
  var flags: [String] { values.filter { $0.value == nil }.map { $0.key.utf8.count > 1 ? "--\($0.key)" : "-\($0.key)" } }

  package func has(_ option: Option) -> Bool { values.contains { $0.key == option.key } }

  mutating func add(_ option: Option) { values.append((option.key, nil)) }

  /// Returns the value of the last occurrence; nil if the option is missing or has no value.
  package func text(_ option: Option) -> String? { values.last { $0.key == option.key }?.value }

  /// The file of `--output`; nil for standard output.
  var outputFile: String? { text(.output).flatMap { ["-", "/dev/stdout"].contains($0) ? nil : $0 } }

  package func texts(_ option: Option) -> [String] { values.filter { $0.key == option.key }.compactMap(\.value) }

  /// Returns the value of an option of kind `.integer`.
  package func integer(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }

  /// Returns the value of an option of kind `.size`, in bytes.
  package func size(_ option: Option) -> Int64? { text(option).flatMap(Quantity.size) }

  /// Returns the value of an option of kind `.duration`, in seconds.
  package func duration(_ option: Option) -> Int64? { text(option).flatMap(Quantity.duration) }

  /// Returns the operand at `index`, if it exists.
  package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// Checks that at most one output format is selected.
  func checkForm(_ globals: GlobalOptions, of command: any CommandSyntax.Type) throws(UsageFault) {
    if has(.shell), !has(.format) { throw .needs(option: Option.shell.dashed, with: Option.format.dashed) }
    // In `dump` and `load`, `--format` is the format of a file.
    let isTemplate = has(.format) && command.options.contains { $0.key == Option.format.key && $0.value == .text }
    let forms = [(globals.json, "--json"), (globals.porcelain, "--porcelain"), (isTemplate, Option.format.dashed)]
    let asked = forms.filter(\.0).map(\.1)
    if asked.count > 1 { throw .excluded(asked) }
  }

  /// Returns the one of `options` that was given; throws if there are several.
  package func only(of options: [Option]) throws(UsageFault) -> Option? {
    let given = options.filter(has)
    if given.count > 1 { throw .excluded(given.map(\.dashed)) }
    return given.first
  }
}
