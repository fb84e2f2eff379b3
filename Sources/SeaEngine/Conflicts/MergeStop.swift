import SeaCore

/// Where merging stopped because its budget was used up: the records before it, by their ids, were tried up to a block.
struct MergeStop {
  /// What had been tried before, and the last block that was known.
  let since: Int64
  let last: Int64
  private let settings: String
  /// The first record that was not tried. No id has a space.
  let id: String

  init(_ since: Int64, _ last: Int64, _ settings: MergeSettings, _ id: String) {
    (self.since, self.last, self.settings, self.id) = (since, last, settings.digest.description, id)
  }

  init?(_ text: String) {
    let parts = text.split(separator: " ", maxSplits: 3)
    guard parts.count == 4, let since = Int64(parts[0]), let last = Int64(parts[1]) else { return nil }
    (self.since, self.last, settings, id) = (since, last, String(parts[2]), String(parts[3]))
  }

  var text: String { "\(since) \(last) \(settings) \(id)" }

  /// Whether it is about the same turn: nothing older counts now, and the settings are the same.
  func follows(_ since: Int64, _ settings: MergeSettings) -> Bool {
    self.since == since && self.settings == settings.digest.description
  }
}
