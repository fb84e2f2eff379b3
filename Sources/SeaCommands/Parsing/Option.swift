import SeaCore
import SeaEngine

/// The kind of value that an option or operand takes. It determines which text is valid and how text is completed.
package enum ValueKind: Sendable, Equatable {
  case none, text, integer, size, duration, file, directory, record, revision, type, path, container, instance, block
  /// An operation, given as `op:HEX`, `@{N}` or `@{TIME}`.
  case operation
  /// A member, or an instance that has requested access.
  case member
  case configKey, command, uuid, rounds, atOnce
  /// `paths` is a comma-separated list, `assignment` is `KEY=VALUE` for a record, `pick` is `PATH=CHOICE`.
  case paths, assignment, pick
  /// `contested` is a record in conflict; `history` is an operation, a block or a revision.
  case contested, history
  /// `place` is a bundle, a container or another location.
  case bundle, place, index
  /// `setting` is `NAME=VALUE`; `settingValue` is the value of the setting named by the previous operand.
  case setting, settingValue
  /// One of these words, or any other text.
  case offered([String])
  case choice([String])

  package func accepts(_ text: String) -> Bool {
    switch self {
    case .integer: UInt32(text) != nil
    case .atOnce: Int64(text).map { SettingRule.parallel.contains($0) } ?? false
    case .rounds: text == "auto" || (Int(text).map { Slot.newRounds.contains($0) } ?? false)
    case .size: Quantity.size(text) != nil
    case .duration: Quantity.duration(text) != nil
    case .choice(let values): values.contains(text)
    case .file, .directory, .record, .revision, .type, .container, .instance, .member, .operation, .configKey,
      .contested, .history, .bundle, .place:
      !text.isEmpty
    default: true
    }
  }
}

extension ValueKind {
  /// The choices that resolve a conflicting property without a merge program.
  static let choices = MergeSettings.policies + ["base"]
}

package struct Option: Sendable {
  package let long: String
  package let short: Unicode.Scalar?
  package let value: ValueKind
  package let metavar: String
  package let help: String
  /// Whether an option with a value may be repeated. Of a global option, the last occurrence counts.
  package let repeatable: Bool
  package let valueIsOptional: Bool
  /// Whether the option can be shortened to a number: `-5` for `--long=5`.
  package let digits: Bool

  package init(
    _ long: String, _ short: Unicode.Scalar? = nil, _ value: ValueKind = .none, _ metavar: String = "", _ help: String,
    repeatable: Bool = false, valueIsOptional: Bool = false, digits: Bool = false
  ) {
    self.long = long
    self.short = short
    self.value = value
    self.metavar = metavar
    self.help = help
    self.repeatable = repeatable
    self.valueIsOptional = valueIsOptional
    self.digits = digits
  }

  package init(_ long: String, _ short: Unicode.Scalar? = nil, help: String) {
    self.init(long, short, .none, "", help)
  }

  package var key: String { long.isEmpty ? short.map { String(Character($0)) } ?? "" : long }

  package var dashed: String { long.isEmpty ? "-\(key)" : "--\(long)" }

  /// The option as shown in help texts, such as `-t, --type=TYPE`, `--short[=N]` or `-C DIR`.
  package var spelling: String {
    if long.isEmpty { return value == .none ? "-\(key)" : "-\(key) \(metavar)" }
    let head = short.map { "-\($0), --\(long)" } ?? "--\(long)"
    if value == .none { return head }
    return valueIsOptional ? "\(head)[=\(metavar)]" : "\(head)=\(metavar)"
  }
}

extension Option {
  /// The options that have the same meaning in all commands.
  package static let type = Option("type", "t", .type, "TYPE", "use this record type")
  package static let recordTypes = Option(
    "type", "t", .type, "TYPE", "select only records of this type", repeatable: true)
  package static let dryRun = Option("dry-run", "n", help: "show what would be done, but write nothing")
  package static let output = Option("output", "o", .file, "FILE", "write to FILE instead of standard output")
  package static let force = Option("force", help: "replace FILE if it exists")
  package static let exitCode = Option("exit-code", help: "report the result in the exit status")
  package static let at = Option(
    "at", nil, .operation, "WHEN", "use the state at WHEN: an operation or a point in time")
  package static let stdin = Option("stdin", help: "read the records from standard input, one per line")
  package static let ifRevision = Option(
    "if-rev", nil, .revision, "REV", "proceed only if the record is at REV ('none': if it does not exist)")
  package static let format = Option("format", nil, .text, "FORMAT", "format each item with FORMAT; see sea-cli(7)")
  package static let shell = Option("shell", help: "quote each field of --format for a POSIX shell")
}
