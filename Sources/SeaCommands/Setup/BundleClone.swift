import SeaKit
import SeaSystem
import SeaCore

/// Makes a new instance from bundles, and tells of it.
struct BundleClone {
  private let session: Session
  private let arguments: Arguments
  /// What came on standard input, as long as it is needed.
  private var received: File?

  /// Nil if what is named is neither a bundle nor a folder of them.
  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus? {
    var clone = BundleClone(session: session, arguments: arguments)
    let operand = arguments.operands[0]
    guard let source = try clone.source(operand) else {
      if arguments.has(CloneCommand.restore) { throw UsageFault.needs(option: "--restore", with: "a bundle") }
      return nil
    }
    guard let target = arguments.operand(1) ?? clone.usualFolder(operand) else {
      throw UsageFault.missingOperand("DIR")
    }
    let folder = try Path.absolute(session.path(target))
    let name = try arguments.instanceName()
    session.terminal.warn(of: Location.hazard(of: folder))
    if arguments.has(.dryRun) { return try clone.preview(source, folder) }
    return try clone.run(source, folder, name)
  }

  private func usualFolder(_ operand: String) -> String? {
    if operand == "-" { return nil }
    let name = Path.name(operand)
    return name.firstRange(of: ".sea").map { String(name[..<$0.lowerBound]) } ?? Location.folder(forCloneOf: name)
  }

  private mutating func source(_ operand: String) throws -> CloneBundles? {
    if operand == "-" {
      let file = try session.spooledInput()
      received = file
      return source([("/proc/self/fd/\(file.descriptor)", "standard input")], nil, "standard input")
    }
    let path = operand.hasPrefix("file://") ? String(operand.dropFirst(7)) : session.path(operand)
    switch try BundleOperand.of(path) {
    case .file(let path): return source([(path, Path.name(path))], nil, operand)
    case .folder(let folder, let bundles): return source(bundles.map { ($0.path, $0.name) }, folder, operand)
    case nil: return nil
    }
  }

  private func source(
    _ bundles: [(path: String, name: String)], _ folder: ExchangeFolder?, _ place: String
  ) -> CloneBundles {
    var source = CloneBundles(bundles: bundles, folder: folder, place: place)
    source.temporary = session.temporaryFolder
    source.restores = arguments.has(CloneCommand.restore)
    return source
  }

  private func run(_ source: CloneBundles, _ folder: String, _ name: String) throws -> ExitStatus {
    var source = source
    source.assets = try arguments.assetRule() ?? .all
    var settings = try session.writingSettings(CloneCommand.self)
    settings.keepsKeys = !arguments.has(.noStoreKey)
    settings.expectsSealed = session.options.namesPassword
    let cloned = try Database.clone(source, to: folder, name: name, settings)
    let database = cloned.database
    defer { database.close() }
    try session.terminal.warnOfOpenKey(database)
    if try database.isPending() { return try session.terminal.tellOfRequest(database, name, isBundle: true) }
    var status = ExitStatus.success
    for error in cloned.failures {
      let failure = Failure.describing(error)
      status = status.and(failure.status)
      failure.tell(session.terminal)
    }
    status = status.and(try session.terminal.report(cloned: database, name, cloned.exchange, assets: cloned.assets))
    tell(cloned.restored)
    try session.terminal.noticeIfPending(database)
    return status
  }

  private func tell(_ restored: Restored) {
    guard !restored.isNothing else { return }
    if !restored.programs.isEmpty {
      session.terminal.notice(
        "left out settings that run programs: \(session.terminal.shown(restored.programs.joined(separator: ", ")))")
    }
    if !restored.hooks.isEmpty {
      session.terminal.notice(
        "hooks are there and off until their '.disabled' is taken away: "
          + session.terminal.shown(restored.hooks.joined(separator: ", ")))
    }
  }

  private func preview(_ source: CloneBundles, _ folder: String) throws -> ExitStatus {
    let found = try Database.survey(source)
    try session.terminal.report(
      "would-clone",
      [
        "database": .id(found.database), "content_type": .text(found.contentType),
        "dir": .text(Path.join(folder, Location.folderName)), "bundles": .integer(source.bundles.count),
      ]
    ) {
      "would clone database \(session.terminal.short(found.database)) (\(found.contentType)) into \(folder)"
        + " from \(Count(source.bundles.count, "bundle"))"
    }
    return .success
  }
}
