import SeaCore
import SeaKit
import SeaSystem

/// What a user is told about an error: the slug and the status are stable, the words are not.
///
/// The libraries throw facts; they become words here and in the `Failure+….swift` files, and nowhere else.
package struct Failure: Error {
  package let slug: String
  package let status: ExitStatus
  /// What went wrong first, lower case, no full stop.
  package let message: String
  /// Further lines of the message, shown indented.
  package var lines: [String] = []
  package var hint: String?
  /// More keys of the JSON event.
  package var details: [(key: String, value: String)]
  package var numbers: [(key: String, value: Int)] = []

  package init(
    _ slug: String, _ status: ExitStatus, _ message: String, hint: String? = nil,
    details: [(key: String, value: String)] = []
  ) {
    self.slug = slug
    self.status = status
    self.message = message
    self.hint = hint
    self.details = details
  }

  /// The words for any error. One that has none is a bug of this program.
  package static func describing(_ error: any Error) -> Failure {
    switch error {
    case let failure as Failure: failure
    case let fault as UsageFault: describing(fault)
    case let error as CommandError: describing(error)
    case let error as PasswordError: describing(error)
    case let error as ProgramError: describing(error)
    case let refusal as HookRefusal: describing(refusal)
    case let error as CoreError: describing(error)
    case let error as OutputFailure:
      Failure("system", .system, "standard output cannot be written: \(error.reason.reason)")
    case let error as KitError: describing(error)
    case let problem as Problem: describing(problem)
    case let error as StoreError: describing(error)
    case let error as ContainerError: describing(error)
    case let error as ConfigError: describing(error)
    case let error as TransferError: describing(error)
    case let error as BundleError: describing(error, "the bundle")
    case let error as SystemError: describing(error)
    case let error as LineTooLong: Failure("bad-data", .badData, "a line is longer than \(error.limit) bytes")
    default:
      Failure(
        "bug", .bug, "unexpected error: \(String(describing: error))",
        hint: "this is a defect of sea; please report it with the command and this line")
    }
  }

  /// Whether hints are wanted.
  static func advises(_ context: Context) -> Bool { context.host.variable("SEA_ADVICE") != "0" }

  /// Tells the error on standard error, as text or as an event.
  func tell(_ context: Context) {
    let hint = Failure.advises(context) ? hint : nil
    guard context.options.json else {
      context.say("sea: error[\(slug)]: \(Escape.shown(message))")
      for line in lines { context.say("  \(Escape.shown(line))") }
      if let hint { context.say("hint: \(Escape.shown(hint))") }
      return
    }
    var item = Item(event: "error", ["code": .text(slug), "exit": .integer(status.rawValue)])
    for (key, value) in details { item[key] = .text(value) }
    for (key, value) in numbers { item[key] = .integer(value) }
    item.add([
      "message": .text(message), "lines": lines.isEmpty ? .absent : .texts(lines), "hint": .text(hint),
    ])
    context.say(item)
  }
}
