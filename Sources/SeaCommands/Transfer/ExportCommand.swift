import SeaEngine
import SeaSystem

import enum SeaContainer.BundleCompression

enum ExportCommand: Command {
  static var title: Title {
    Title("export", .transfer, .porcelain, needs: .database, "write new changes, or everything, to a bundle")
  }
  static var stopsWell: Bool { true }
  static var synopsis: [String] {
    let common = "[--full | --since=START | --for=INSTANCE] [--no-assets] [--compress=KIND] [--split=SIZE] [--verify]"
    let keep = "[--keep-last=N] [--keep-daily=N] [--keep-weekly=N] [--keep-monthly=N] [--keep-yearly=N]"
    return [
      "\(common) [--backup] [--limit-rate=SIZE] [--jobs=N] [-n] [--exit-code] (--to=DIR [--create] | -o FILE [--force]) \(keep)"
    ]
  }
  static let to = Option("to", nil, .directory, "DIR", "write what is missing in the exchange directory DIR")
  static let create = Option("create", help: "start DIR again if it was used before and is now missing or empty")
  static let file = Option("output", "o", .file, "FILE", "write to FILE ('-': standard output)")
  static let full = Option("full", help: "include everything, from the first block")
  static let since = Option(
    "since", nil, .text, "START",
    "include only what START lacks: a bundle, a file of heads ('-': standard input) or a time")
  static let receiver = Option("for", nil, .instance, "INSTANCE", "include only what INSTANCE may not have yet")
  static let noAssets = Option("no-assets", help: "leave out assets")
  static let compress = Option(
    "compress", nil, .choice(BundleCompression.allCases.map(\.rawValue).sorted()), "KIND",
    "choose the compression (default: zstd)")
  static let split = Option("split", nil, .size, "SIZE", "split the bundle into files of at most SIZE")
  static let verify = Option("verify", help: "read the bundle back before it gets its final name")
  static let backup = Option("backup", help: "include settings and hooks, and everything by default")
  static var options: [Option] {
    [to, create, file, .force, full, since, receiver, noAssets, compress, split, verify, backup]
      + ExportRetention.options
      + [.farRate, .jobs, .dryRun, .exitCode]
  }
  static var exits: [Exit] {
    [
      Exit(.no, "with --exit-code: there was nothing new"),
      Exit(.notFound, "no such instance"),
      Exit(.corrupt, "with --verify: the bundle differed when read back and was removed; or data here is damaged"),
      Exit(.unreachable, "the folder of DIR or FILE is missing, or DIR was used before and is missing or empty"),
      Exit(.system, "input/output error, no space (nothing was written), no permission, or FILE exists"),
      Exit(.badData, "a line of START is not a head"),
      Exit(.refused, "a hook refused"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    guard let target = try arguments.only(of: [to, file]) else { throw UsageFault.needsOneOf(["--to", "-o"]) }
    _ = try arguments.only(of: [full, since, receiver])
    if arguments.has(.force), target.key != file.key { throw UsageFault.needs(option: "--force", with: "-o") }
    if arguments.has(create), target.key != to.key { throw UsageFault.needs(option: create.dashed, with: to.dashed) }
    try arguments.setSpeedLimit(session)
    try ExportRetention.check(arguments)
    let isStream = target.key == file.key && arguments.text(file) == "-"
    if isStream {
      for option in [split, verify] where arguments.has(option) { throw UsageFault.excluded([option.dashed, "-o -"]) }
      if session.host.isTerminal(1), !arguments.has(.dryRun) { throw Failure.bundleAtTerminal }
    }
    if let size = arguments.size(split), size < 1 << 16 {
      throw UsageFault.badValue(option: "--split", value: arguments.text(split) ?? "", expected: .size)
    }
    if !isStream, let named = arguments.text(file) { try Location.checkWritable(session.bundlePath(named)) }
    let elsewhere = arguments.text(to).flatMap { BundleDirectory.isMeant(by: $0, session) ? $0 : nil }
    // Bundles must not be written into the folder of a database.
    if elsewhere == nil, let named = arguments.text(to) {
      try Location.checkWritable(Path.join(session.bundlePath(named), "bundle"))
    }
    let database = try session.reading()
    let run = try ExportRun(session, database, arguments)
    if target.key == to.key {
      let folder = try elsewhere ?? Path.absolute(session.bundlePath(arguments.text(to)!))
      return try run.into(folder: folder, isElsewhere: elsewhere != nil)
    }
    return try isStream ? run.intoStream() : run.into(file: Path.absolute(session.bundlePath(arguments.text(file)!)))
  }
}
