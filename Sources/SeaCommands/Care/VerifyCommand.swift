import SeaCore
import SeaEngine
import SeaSystem

/// `sea verify`: hold what is stored against its checksums and signatures.
enum VerifyCommand: Command {
  static var title: Title {
    Title("verify", .care, .frozenPorcelain, "check chains, containers, bundles and the projection")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    [
      "[--assets] [--keys] [--repair=OTHER] [--limit-rate=SIZE] [--jobs=N] "
        + "[CONTAINER | BUNDLE | DIR | INSTANCE | BLOCK]..."
    ]
  }
  static let keys = Option(
    "keys", help: "open sealed blocks, and hold what is in the blocks of a container against the format")
  static let assets = Option("assets", help: "hold the assets of containers and bundles against what records say, too")
  static let repair = Option(
    "repair", nil, .directory, "OTHER",
    "first write again what is damaged or missing, with good blocks of another container")
  static var options: [Option] { [assets, keys, repair, .farRate, .jobs] }
  static var operands: [Operand] { [.any("CONTAINER", .place)] }
  static var exits: [Exit] {
    [
      Exit(.success, "everything that was looked at verifies"),
      Exit(.notFound, "a block named is not known"),
      Exit(.corrupt, "something does not verify; it is listed"),
      Exit(.denied, "--keys, and there is no key, or the passphrase opens none"),
      Exit(.partial, "some containers are away, or blocks or assets have keys that are not here"),
      Exit(.unreachable, "all containers named are away, or a part of a bundle is not there"),
      Exit(.noDatabase, "no database found, and something of it is meant"),
      Exit(.incompatible, "a place named is no container and no bundle, or one of another format"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    if arguments.has(repair), arguments.operands.isEmpty { throw UsageFault.missingOperand("CONTAINER") }
    // What was handed over may have brought the `.sea` along that is found beside it.
    session.standsAlone = try arguments.operands.contains { try Path.exists(session.path($0)) }
    try arguments.pace(session)
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
        guard Containers.state(for: error) == .away, Failure.describing(error).status == .unreachable else {
          throw error
        }
        run.isAway(error)
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

  /// Containers are verified without a database too.
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
