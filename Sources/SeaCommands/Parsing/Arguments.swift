import SeaEngine

/// What was said on the command line of one command, already checked against its table.
package struct Arguments: Sendable {
  package enum Help: Sendable { case usage, page }

  package internal(set) var operands: [String] = []
  /// How many operands stand before `--`; nil if there is none.
  package internal(set) var dashes: Int?
  /// What was asked for instead of running the command.
  package internal(set) var help: Help?
  package var values: [(key: String, value: String?)] = []

  package init() {}

  /// The options that were given without a value, as they were written.
  var flags: [String] { values.filter { $0.value == nil }.map { $0.key.utf8.count > 1 ? "--\($0.key)" : "-\($0.key)" } }

  package func has(_ option: Option) -> Bool { values.contains { $0.key == option.key } }

  /// As if an option without a value had been given.
  mutating func add(_ option: Option) { values.append((option.key, nil)) }

  /// The value of the last occurrence; nil when the option was not given, or given without its optional value.
  package func text(_ option: Option) -> String? { values.last { $0.key == option.key }?.value }

  /// The file that `--output` names; nil for standard output.
  var outputFile: String? { text(.output).flatMap { ["-", "/dev/stdout"].contains($0) ? nil : $0 } }

  package func texts(_ option: Option) -> [String] { values.filter { $0.key == option.key }.compactMap(\.value) }

  /// The value of an option of kind `.integer`.
  package func integer(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }

  /// The value of an option of kind `.size`, in bytes.
  package func size(_ option: Option) -> Int64? { text(option).flatMap(Quantity.size) }

  /// The value of an option of kind `.duration`, in seconds.
  package func duration(_ option: Option) -> Int64? { text(option).flatMap(Quantity.duration) }

  /// The operand at `index`, if there are as many.
  package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// What is printed has one form.
  func checkForm(_ globals: GlobalOptions, of command: any CommandSyntax.Type) throws(UsageFault) {
    if has(.shell), !has(.format) { throw .needs(option: Option.shell.dashed, with: Option.format.dashed) }
    // `dump` and `load` have one that is the form of a file.
    let isTemplate = has(.format) && command.options.contains { $0.key == Option.format.key && $0.value == .text }
    let forms = [(globals.json, "--json"), (globals.porcelain, "--porcelain"), (isTemplate, Option.format.dashed)]
    let asked = forms.filter(\.0).map(\.1)
    if asked.count > 1 { throw .excluded(asked) }
  }

  /// Which of `options` was given; fails when more than one was.
  package func only(of options: [Option]) throws(UsageFault) -> Option? {
    let given = options.filter(has)
    if given.count > 1 { throw .excluded(given.map(\.dashed)) }
    return given.first
  }
}
