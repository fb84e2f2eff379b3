import SeaCore
import SeaEngine
import SeaSystem

enum VerifyCommand: Command {
  static var title: Title {
    Title("verify", .care, .frozenPorcelain, "check chains, containers, bundles and the local index")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--assets] [--keys] [--repair=OTHER] [--limit-rate=SIZE] [--jobs=N] "
        + "[CONTAINER | BUNDLE | DIR | INSTANCE | BLOCK]..."
    ]
  }
  static let keys = Option("keys", help: "decrypt blocks, and check their contents against the format")
  static let assets = Option("assets", help: "also check the assets of containers and bundles")
  static let repair = Option(
    "repair", nil, .directory, "OTHER", "first repair damaged or missing files from another container")
  static var options: [Option] { [assets, keys, repair, .farRate, .jobs] }
  static var operands: [Operand] { [.any("CONTAINER", .place)] }
  static var exits: [Exit] {
    [
      Exit(.success, "no problem was found"),
      Exit(.notFound, "no such block"),
      Exit(.corrupt, "a problem was found and is listed"),
      Exit(.denied, "with --keys: no key, or wrong passphrase"),
      Exit(.partial, "a container is unavailable, or a key is missing for blocks or assets"),
      Exit(.unreachable, "all given containers are unavailable, or a part of a bundle is missing"),
      Exit(.noDatabase, "no database found, but one is needed"),
      Exit(.incompatible, "not a container or bundle, or unknown format"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(repair), arguments.operands.isEmpty { throw UsageFault.missingOperand("CONTAINER") }
    // Ignore a `.sea` folder next to the operand, because it may come from the same untrusted source.
    session.ignoresDatabase = try arguments.operands.contains { try Path.exists(session.path($0)) }
    try arguments.setSpeedLimit(session)
    let run = VerifyRun(
      session, try database(session, isNeeded: arguments.operands.isEmpty), opens: arguments.has(keys),
      assets: arguments.has(assets))
    var containers: [(Container, String)] = []
    var chains: [UUID] = []
    for operand in arguments.operands {
      if try run.bundles(operand) { continue }
      do {
        let location = try session.location(operand)
        switch try Verification.target(operand, at: location, in: run.database?.verification, session.helpers) {
        case .container(let container, let place): containers.append((container, place))
        case .chain(let instance): chains.append(instance)
        case .block(let row): try run.block(row)
        }
      } catch {
        guard Containers.state(for: error) == .unavailable, Failure.describing(error).status == .unreachable else {
          throw error
        }
        run.reportUnavailable(error)
      }
    }
    let scopes: [UUID?] = chains.isEmpty ? [nil] : chains
    if let other = arguments.text(repair) {
      for (container, place) in containers {
        try run.repair(container, place, from: Containers.at(session.location(other), session.helpers))
      }
    }
    for (container, place) in containers {
      try run.container(container, place, scopes)
    }
    if containers.isEmpty, !chains.isEmpty || arguments.operands.isEmpty {
      for scope in scopes { try run.store(scope) }
    }
    return try run.finish()
  }

  /// Opens the database if there is one. Containers can be verified without a database.
  private static func database(_ session: Session, isNeeded: Bool) throws -> Database? {
    do {
      return try session.reading()
    } catch KitError.noDatabase where !isNeeded {
      return nil
    } catch let error as KitError where error.isUnsafePlace && !isNeeded {
      return nil
    }
  }
}
