import SeaKit

/// Gets one asset after the other, and tells what becomes of each.
struct FetchRun {
  private let context: Context
  private let database: Database
  private let isDry: Bool
  private let limit: Int64
  private var status = ExitStatus.success
  private var fetched = 0
  private var bytes: Int64 = 0
  private var missing = 0
  private var bad = 0
  private var failed = 0
  private var left = 0
  private var sources: [String] = []

  init(_ context: Context, _ database: Database, isDry: Bool, limit: Int64) {
    self.context = context
    self.database = database
    self.isDry = isDry
    self.limit = limit
  }

  mutating func get(_ assets: [AssetRow], from copies: AssetCopies) throws {
    let total = min(assets.reduce(0) { $0 + $1.size }, limit)
    for asset in assets {
      guard asset.size <= limit - bytes else {
        left += 1
        status = status.and(.partial)
        continue
      }
      context.wholeWork = (bytes, total)
      defer { context.wholeWork = nil }
      try get(asset, from: copies)
    }
    let isCutOff = copies.containers.isEmpty && !copies.away.isEmpty
    if missing > 0 { status = status.and(isCutOff ? .unreachable : .partial) }
  }

  private mutating func get(_ asset: AssetRow, from copies: AssetCopies) throws {
    var problems: [Problem] = []
    let outcome: FetchOutcome
    do {
      outcome = try isDry ? preview(asset, copies) : database.fetch(asset, from: copies.origins) { problems.append($0) }
    } catch {
      // What is wrong with a container leaves other assets alone; what is wrong here does not.
      guard Database.containerState(for: error) != nil else { throw error }
      let failure = Failure.describing(error)
      status = status.and(failure.status)
      failed += 1
      failure.tell(context)
      return try tell("failed", asset, failure.slug)
    }
    for problem in problems {
      status = status.and(.corrupt)
      try context.tell(problem)
    }
    switch outcome {
    case .here: break
    case .fetched(let names):
      fetched += 1
      bytes += asset.size
      for name in names where !sources.contains(name) { sources.append(name) }
      guard context.options.json else { return }
      try context.object {
        $0.text("event", isDry ? "would-fetch" : "fetched")
        try context.describe(asset, in: database, &$0)
        $0.texts("from", names)
      }
    case .missing:
      missing += 1
      try tell("missing", asset, "no container that can be reached has it")
    case .bad:
      bad += 1
      try tell("bad", asset, "no good copy was found")
    }
  }

  private func preview(_ asset: AssetRow, _ copies: AssetCopies) throws -> FetchOutcome {
    let names = try database.holders(of: asset, among: copies)
    return names.isEmpty ? .missing : .fetched(from: [names[0]])
  }

  private func tell(_ event: String, _ asset: AssetRow, _ why: String) throws {
    if context.options.json {
      try context.object {
        $0.text("event", event)
        try context.describe(asset, in: database, &$0)
      }
    } else if !context.options.quiet {
      try context.line(context.shown("\(event) \(context.words(of: asset, in: database)): \(why)"))
    }
  }

  mutating func finish() throws -> ExitStatus {
    if !context.options.json, !context.options.quiet {
      let what = "\(Count(fetched, "asset")), \(SizeText.of(bytes)), from \(sources.joined(separator: ", "))"
      let done = fetched == 0 ? "nothing" : what
      try context.line(context.shown((isDry ? "would fetch " : "fetched ") + done))
      if left > 0 { try context.line("left \(Count(left, "asset")) for another time: --size-limit") }
    }
    try context.summary(status) {
      $0.integer("fetched", fetched)
      $0.integer("bytes", bytes)
      $0.integer("missing", missing)
      $0.integer("bad", bad)
      $0.integer("failed", failed)
      $0.integer("left", left)
    }
    return status
  }
}
