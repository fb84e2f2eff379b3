import SeaCore
import SeaEngine
import SeaSystem

extension Session {
  /// The `.sea` directory of this run: `--sea-dir`, `SEA_DIR`, or the nearest one upwards from here.
  package func seaDirectory() throws -> String {
    if let foundDirectory { return foundDirectory }
    let found = try findDirectory()
    foundDirectory = found
    return found
  }

  private func findDirectory() throws -> String {
    var rules = Location.Rules()
    rules.ceilings = host.variable("SEA_CEILING_DIRECTORIES")?.split(separator: ":").map(String.init) ?? []
    rules.acrossFileSystems = ConfigType.bool(host.variable("SEA_DISCOVERY_ACROSS_FILESYSTEM") ?? "") ?? false
    return try Location.trusting(rules, host.variable, locate)
  }

  private func locate(_ rules: Location.Rules) throws -> String {
    if let named = options.seaDirectory { return try Location.use(path(named), rules) }
    if let named = host.variable("SEA_DIR"), !named.isEmpty { return try Location.use(path(named), rules) }
    return try Location.find(from: Path.absolute(path(".")), rules)
  }

  /// Where this run's settings come from. Without a usable database its layers are left out.
  package func configSources() throws -> ConfigSources {
    var sources = ConfigSources(variable: host.variable, database: nil)
    sources.settings = options.settings
    sources.settingVariables = options.settingVariables
    guard !standsAlone else { return sources }
    do {
      let found = try seaDirectory()
      // A file that merely lies there is not ours.
      if Location.isDatabase(found) { sources.database = found }
    } catch KitError.noDatabase {
    } catch let error as KitError where error.isUnsafePlace {}
    if let database = sources.database { sources.shared = { [unowned self] in try sharedSettings(database, $0) } }
    return sources
  }

  /// All settings of this run; read once.
  package func config() throws -> Config {
    if let known = loadedConfig { return known }
    let config = try Config(configSources())
    loadedConfig = config
    return config
  }

  /// A setting that runs a program: from every layer but the shared one, which others write, or from the given ones.
  func ownSetting(
    _ name: String, _ layers: [ConfigScope] = ConfigScope.allCases.filter { $0 != .shared }
  ) throws -> String? {
    try config().all(name).last { layers.contains($0.origin.scope) }?.value.flatMap { $0.isEmpty ? nil : $0 }
  }

  /// What all instances share, from the database that this run has open, or from that in `.sea` at `path`.
  private func sharedSettings(_ path: String, _ group: SharedGroup?) throws -> [(key: ConfigKey, value: String)] {
    if let database, database.path == path, database.isOpen { return try database.sharedSettings.settings(of: group) }
    let database = try Database(path: path)
    defer { database.close() }
    return try database.sharedSettings.settings(of: group)
  }

  /// What a record may hold in this run.
  package func recordLimits() throws -> RecordLimits {
    var limits = RecordLimits()
    if let size = try config().size("core.maxDataSize") { limits.maxData = Int(size) }
    return limits
  }

  /// The wait for the writer lock in seconds, nil for ever: `--lock-wait`, `SEA_LOCK_WAIT`, `core.lockWait`.
  package func lockWait() throws -> Double? {
    var text = options.lockWait ?? host.variable("SEA_LOCK_WAIT")
    // Who started the hook has the lock until the hook ends.
    if text == nil, HookEvent.isReviewing(host) { return 0 }
    if text == nil { text = try config().text("core.lockWait") }
    if text == "forever" { return nil }
    guard let seconds = Quantity.duration(text ?? "10") else {
      throw UsageFault.badValue(option: "--lock-wait", value: text ?? "", expected: .duration)
    }
    return Double(seconds)
  }
}
