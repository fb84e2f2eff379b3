import SeaCore
import SeaEngine
import SeaSystem

/// The hooks of a database: `.sea/hooks/EVENT`, and the files of `.sea/hooks/EVENT.d` in byte order.
struct Hooks {
  private let session: Session
  private let command: String
  private let instance: UUID
  private let database: String
  private static let off = "SEA_NO_HOOKS"

  private var folder: String { Path.join(database, Location.hooksName) }

  /// Returns nil if there is no hooks folder or hooks are disabled.
  init?(_ session: Session, _ database: Database, _ command: any Command.Type) throws {
    if session.options.noHooks || ConfigType.bool(session.host.variable(Hooks.off) ?? "") ?? true { return nil }
    self.session = session
    self.command = command.name
    instance = database.instance
    self.database = try database.folder.absolutePath()
    guard let status = try? Path.statusFollowing(folder), status.kind == .directory else { return nil }
  }

  /// Returns whether an event has hooks to run. A command started by a hook triggers neither the same hook nor hooks
  /// that cannot refuse a change. Otherwise, hooks could trigger each other forever.
  func listen(to event: HookEvent) -> Bool {
    if let running = session.host.variable(HookEvent.variable), !running.isEmpty {
      guard event.canRefuse, running != event.rawValue else { return false }
    }
    return [event.rawValue, event.rawValue + ".d"].contains { ((try? Path.status(path($0))) ?? nil) != nil }
  }

  /// Runs the hooks of an event one after another, each with the same input.
  /// - Throws: `HookRefusal` at the first failure, if hooks can refuse the event. Otherwise, a failure only causes a
  ///   warning.
  func run(_ event: HookEvent, _ input: [UInt8]) throws {
    let limit = try session.config().duration("hook.timeout") ?? 60
    for name in names(event) {
      let path = path(name)
      let fault = fault(name)
      if let fault, fault.reason == .notExecutable {
        session.terminal.warning(
          "hook-not-executable", "skipped hook '\(name)': not an executable file", hint: fault.remedy)
        continue
      }
      var reason: HookRefusal.Reason?
      switch fault?.reason {
      case .dangling: reason = .notStarted(SystemError(call: "stat", errno: SystemError.missing, path: path))
      case .foreign: reason = foreignOwner(path).map { .foreign(owner: $0) }
      default: reason = try failure(path, event, input, limit)
      }
      guard let reason else { continue }
      let refusal = HookRefusal(hook: name, reason: reason)
      if event.canRefuse { throw refusal }
      session.terminal.warning("hook-failed", refusal.words)
    }
  }

  /// Returns the owner of the hook or of its link target, unless the owner is this user, root or the owner of the
  /// database.
  func foreignOwner(_ path: String) -> UInt32? {
    let trusted = [ThisProcess.userID(), 0] + [try? Path.statusFollowing(database)?.owner].compactMap { $0 }
    let owners = [try? Path.status(path)?.owner, try? Path.statusFollowing(path)?.owner].compactMap { $0 }
    return owners.first { !trusted.contains($0) }
  }

  func call(_ event: HookEvent, _ item: @autoclosure () throws -> Item) throws {
    if listen(to: event) { try run(event, item().line) }
  }

  private func names(_ event: HookEvent) -> [String] {
    var names: [String] = []
    if ((try? Path.status(path(event.rawValue))) ?? nil) != nil { names = [event.rawValue] }
    let more = event.rawValue + ".d"
    return names + entries(more).map { Path.join(more, $0) }
  }

  func entries(_ name: String) -> [String] {
    guard let listing = try? Directory(path(name)).list() else { return [] }
    let found = listing.entries.map(\.name).filter { !$0.hasPrefix(".") }
    return found.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
  }

  /// Returns the path of a hook; an empty name stands for the hooks folder.
  func path(_ name: String) -> String { name.isEmpty ? folder : Path.join(folder, name) }

  func isExecutable(_ name: String) -> Bool { session.host.isExecutable(path(name)) }

  private func failure(
    _ path: String, _ event: HookEvent, _ input: [UInt8], _ limit: Int64
  ) throws -> HookRefusal.Reason? {
    var program = Program(path: path, arguments: [path])
    program.variables = External.variables(session).filter { $0.name != "SEA_DIR" }
    for (name, value) in [
      ("SEA_DIR", database), (HookEvent.variable, event.rawValue), ("SEA_OP", command),
      ("SEA_INSTANCE", instance.description),
    ] { program.variables.append(.init(name: name, value: value)) }
    program.directory = Path.parent(database)
    program.input = .bytes(input)
    program.printsToError = true
    program.limit = limit == 0 ? nil : limit
    do {
      let ending = try session.run(program, named: path)
      return ending == .exited(0) ? nil : .ending(ending, seconds: limit)
    } catch CommandError.notStarted(_, let error) {
      return .notStarted(error)
    }
  }
}
