import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// A folder through which instances hand each other bundles, wherever it lies.
package enum ExchangePlace {
  case here(ExchangeFolder)
  case elsewhere(FarExchange)

  /// The path of a folder that a location means; nil for one elsewhere.
  package static func path(of location: String) -> String? { HelperPlace.path(of: location) }

  /// The folder of bundles at a location. Whether it may be reached is for the caller to see.
  /// - Throws: `placeInUse` if it is a container.
  package init(_ location: String, for database: SeaFolder) throws {
    if let path = ExchangePlace.path(of: location) {
      let path = try Path.absolute(path)
      guard !Location.isContainer(path) else { throw KitError.placeInUse(path: location, of: path) }
      self = .here(try ExchangeFolder(path))
    } else {
      let place = try FarExchange(location, for: database)
      guard !place.isContainer else { throw KitError.placeInUse(path: location, of: location) }
      self = .elsewhere(place)
    }
  }

  /// The folder that an export goes into. Only its last component is made if it is missing, or a stick that is not plugged in would be taken
  /// for an empty one.
  /// - Parameters:
  ///   - isNew: whether a folder is begun even if one is remembered at the location.
  ///   - isDry: whether nothing is made.
  /// - Returns: nil in a dry run that would make the folder.
  /// - Throws: `TransferError.exchangeGone` if the folder was used before and is missing or empty now.
  package static func toWrite(
    _ location: String, for bundles: Bundles, isNew: Bool, isDry: Bool
  ) throws -> ExchangePlace? {
    let isKnown = !isNew && bundles.exchanges.remembers(location)
    if let path = ExchangePlace.path(of: location), try Path.statusFollowing(path) == nil {
      if isKnown { throw TransferError.exchangeGone(location) }
      let parent = Path.parent(try Path.absolute(path))
      guard try Path.statusFollowing(parent) != nil else { throw ContainerError.notThere(path: parent) }
      if isDry { return nil }
      try Path.createDirectories(path)
    }
    let place = try ExchangePlace(location, for: bundles.folder)
    if isKnown, try place.folder.isEmpty() { throw TransferError.exchangeGone(location) }
    return place
  }

  /// Where it is worked on.
  package var folder: ExchangeFolder {
    switch self {
    case .here(let folder): folder
    case .elsewhere(let place): place.folder
    }
  }

  /// A path, or a location elsewhere.
  package var location: String {
    switch self {
    case .here(let folder): folder.path
    case .elsewhere(let place): place.location
    }
  }

  /// What it says about where the next bundle has to begin.
  package func survey(for bundles: Bundles) throws -> ExchangeSurvey {
    switch self {
    case .here(let folder): try bundles.survey(folder)
    case .elsewhere(let place): try place.survey(for: bundles)
    }
  }

  /// Writes a bundle there; none of that name is replaced.
  /// - Throws: `TransferError.bundle` of `EEXIST` where somebody was faster with the name.
  package func write(
    _ plan: ExportPlan, named name: String, _ compression: BundleCompression, volumeSize: Int64?, verifies: Bool,
    of bundles: Bundles
  ) throws -> Exported {
    // Elsewhere it is read back from there.
    let isHere = if case .here = self { true } else { false }
    var exported = try bundles.export(
      plan, compression, to: Path.join(folder.path, name), volumeSize: volumeSize, replace: false,
      verifies: verifies && isHere)
    guard case .elsewhere(let place) = self else { return exported }
    try place.give(exported.files)
    if verifies {
      guard try place.verify(exported) else { throw TransferError.bundle(name: name, .wrongDigest(name)) }
      exported.isVerified = true
    }
    return exported
  }

  /// Leaves word of what this instance has, if it may, and remembers that the place was used.
  /// - Parameters:
  ///   - plan: what was written, so that no block of ours is lacking there; nil after an import. What lies there survives a loss of
  ///     power then. The bundles that make it so may have got their names from somebody who was stopped right after.
  ///   - remembers: whether it is remembered.
  package func leaveWord(of bundles: Bundles, writing plan: ExportPlan?, remembers: Bool = true) throws {
    switch self {
    case .here(let folder):
      try bundles.leaveHeads(in: folder)
      if plan != nil { try folder.makeDurable() }
    case .elsewhere(let place): try place.leaveHeads(of: bundles)
    }
    if remembers { try bundles.exchanges.note(location, writing: plan) }
  }
}

extension ExchangeSurvey {
  /// What there is to write into the folder.
  /// - Parameter start: where it begins; nil for behind what the bundles and instances there have.
  package func plan(
    for database: Bundles, from start: ExportStart?, assets filter: AssetFilter, backup: Bool
  ) throws -> ExportPlan {
    let isWhole = if case .everything? = start { true } else { false }
    var plan = try database.store.snapshot {
      try database.plan(
        behind: start.map { try database.frontier(of: $0) } ?? frontier, assets: filter,
        except: isWhole ? [] : assets, following: start == nil ? runs : [], backup: backup)
    }
    // Whoever waits to be let in asks once.
    if plan.onlyAsks, bundles.contains(where: { $0.manifest.from == database.folder.instance }) { plan.isNews = false }
    return plan
  }
}

extension RetentionRun {
  /// Throws away what no rule wants any more, having read again what is relied upon: of a place elsewhere what stays of this instance's
  /// bundles comes here for it.
  /// - Parameters:
  ///   - survey: of the place, as it was before `plan` was written.
  ///   - plan: a bundle that was written since.
  ///   - offset: the seconds that local time is ahead of UTC at a Unix time.
  ///   - complains: told which bundles cannot be read again.
  package func run(
    _ retention: Retention, at place: ExchangePlace, _ survey: ExchangeSurvey, adding plan: ExportPlan?,
    offset: (Int64) -> Int, complains: (String, BundleError) throws -> Void
  ) throws -> RetentionPlan {
    let before = try planned(retention, survey, adding: plan, offset)
    if before.removed.isEmpty { return before }
    switch place {
    case .here(let folder):
      return try folder.whileLocked {
        let now = try planned(retention, bundles.survey(folder), offset)
        for one in now.removed { try folder.remove(one.bundle) }
        try folder.makeDurable()
        return now
      }
    case .elsewhere(let place):
      let going = Set(before.removed.map(\.bundle.name))
      return try FarExchange.whileLocked(bundles.folder) {
        let place = try FarExchange(place.location, for: bundles.folder)
        let survey = try place.survey(for: bundles, readingAllBut: going)
        for (name, error) in survey.unreadable { try complains(name, error) }
        var now = try planned(retention, survey, offset)
        if Set(now.removed.map(\.bundle.name)) == going {
          // What stays was read, and nothing else is relied upon.
          try place.remove(now.removed.map(\.bundle))
        } else {
          // Something there has changed: the next export looks again.
          now.removed = []
        }
        return now
      }
    }
  }

  private func planned(
    _ retention: Retention, _ survey: ExchangeSurvey, adding plan: ExportPlan? = nil, _ offset: (Int64) -> Int
  ) throws -> RetentionPlan {
    try bundles.store.snapshot { try self.plan(retention, in: survey, adding: plan, offset: offset) }
  }

  /// Whether a rule goes by days and the place does not say which of this instance's bundles is of which.
  package func lacksTimes(_ retention: Retention, in survey: ExchangeSurvey) -> Bool {
    retention.goesByTime && survey.bundles.contains { $0.manifest.from == bundles.folder.instance && $0.time <= 0 }
  }
}
