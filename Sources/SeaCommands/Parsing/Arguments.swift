import SeaEngine

package struct Arguments: Sendable {
  package enum Help: Sendable { case usage, page }

  package internal(set) var operands: [String] = []
  /// The number of operands before `--`; nil without `--`.
  package internal(set) var dashes: Int?
  /// The help that the user asked for. If it is set, the command does not run.
  package internal(set) var help: Help?
  package var values: [(key: String, value: String?)] = []

  package init() {}

  /// The options given without a value, including their dashes.
  var flags: [String] { values.filter { $0.value == nil }.map { $0.key.utf8.count > 1 ? "--\($0.key)" : "-\($0.key)" } }

  package func has(_ option: Option) -> Bool { values.contains { $0.key == option.key } }

  mutating func add(_ option: Option) { values.append((option.key, nil)) }

  /// Returns the value of the option; nil if the option is missing or has no value.
  package func text(_ option: Option) -> String? { values.last { $0.key == option.key }?.value }

  var outputFile: String? { text(.output).flatMap { ["-", "/dev/stdout"].contains($0) ? nil : $0 } }

  package func texts(_ option: Option) -> [String] { values.filter { $0.key == option.key }.compactMap(\.value) }

  package func integer(_ option: Option) -> Int? { text(option).flatMap { Int($0) } }

  /// Returns the value of an option of kind `.size`, in bytes.
  package func size(_ option: Option) -> Int64? { text(option).flatMap(Quantity.size) }

  /// Returns the value of an option of kind `.duration`, in seconds.
  package func duration(_ option: Option) -> Int64? { text(option).flatMap(Quantity.duration) }

  package func operand(_ index: Int) -> String? { index < operands.count ? operands[index] : nil }

  /// Throws if several output formats are selected.
  func checkForm(_ globals: GlobalOptions, of command: any CommandSyntax.Type) throws(UsageFault) {
    if has(.shell), !has(.format) { throw .needs(option: Option.shell.dashed, with: Option.format.dashed) }
    // In `dump` and `load`, `--format` is a file format.
    let isTemplate = has(.format) && command.options.contains { $0.key == Option.format.key && $0.value == .text }
    let forms = [(globals.json, "--json"), (globals.porcelain, "--porcelain"), (isTemplate, Option.format.dashed)]
    let asked = forms.filter(\.0).map(\.1)
    if asked.count > 1 { throw .excluded(asked) }
    let plain = GlobalOptions.plainValues.dashed
    if globals.plain, isTemplate { throw .excluded([plain, Option.format.dashed]) }
    if globals.plain, !globals.json, !command.printsJSON { throw .needs(option: plain, with: "--json") }
  }

  /// Returns whichever of `options` was given; throws if several were given.
  package func only(of options: [Option]) throws(UsageFault) -> Option? {
    let given = options.filter(has)
    if given.count > 1 { throw .excluded(given.map(\.dashed)) }
    return given.first
  }
}
