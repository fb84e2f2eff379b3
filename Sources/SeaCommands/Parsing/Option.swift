import SeaCore
import SeaEngine

/// What an option or operand stands for: decides what is accepted and what completion offers.
package enum ValueKind: Sendable, Equatable {
  case none, text, integer, size, duration, file, directory, record, revision, type, path, container, instance, block
  /// `op:HEX`, `@{N}` or `@{TIME}`.
  case operation
  /// An instance that is a member, or asks to be one.
  case member
  case configKey, command, uuid, rounds, atOnce
  /// Paths with commas between; `KEY=VALUE` of a record; `PATH=CHOICE`.
  case paths, assignment, pick
  /// A record in conflict; an operation, block or revision.
  case contested, history
  /// A bundle, a container or another place; the name of an index.
  case bundle, place, index
  /// `NAME=VALUE` of a setting; the value of the one that stands before it.
  case setting, settingValue
  /// One of these words, or something else.
  case offered([String])
  case choice([String])

  /// Whether `text` is of this kind, as far as its form alone can tell.
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
  /// What settles a clash, without programs.
  static let choices = MergeSettings.policies + ["base"]
}

/// One option of a command, or of `sea` itself.
package struct Option: Sendable {
  /// Without dashes; empty when there is only the short form.
  package let long: String
  package let short: Unicode.Scalar?
  package let value: ValueKind
  package let metavar: String
  /// One line without a full stop.
  package let help: String
  /// Whether each occurrence counts; else the last one holds.
  package let repeatable: Bool
  /// Whether `=VALUE` may be left out.
  package let valueIsOptional: Bool
  /// Whether `-5` is the same as `--long=5`.
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

  /// An option without a value.
  package init(_ long: String, _ short: Unicode.Scalar? = nil, help: String) {
    self.init(long, short, .none, "", help)
  }

  /// What tells it apart from the other options of its command.
  package var key: String { long.isEmpty ? short.map { String(Character($0)) } ?? "" : long }

  /// The form used in messages: `--type`, `-C`.
  package var dashed: String { long.isEmpty ? "-\(key)" : "--\(long)" }

  /// As in usage lines: `-t, --type=TYPE`, `--short[=N]`, `-C DIR`.
  package var spelling: String {
    if long.isEmpty { return value == .none ? "-\(key)" : "-\(key) \(metavar)" }
    let head = short.map { "-\($0), --\(long)" } ?? "--\(long)"
    if value == .none { return head }
    return valueIsOptional ? "\(head)[=\(metavar)]" : "\(head)=\(metavar)"
  }
}

extension Option {
  /// The options that several commands share mean the same everywhere.
  package static let type = Option("type", "t", .type, "TYPE", "use this record type")
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
