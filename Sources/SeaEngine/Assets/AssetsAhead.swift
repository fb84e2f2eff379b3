import SeaContainer
import SeaCore

/// Reads assets one by one. Announces the next assets to remote sources, so that they can be sent ahead of time.
package struct AssetsAhead<Item> {
  private static var most: Int { 32 }

  private let sources: [AssetSource]
  private let isFar: Bool
  private var waiting: [(item: Item, files: [(source: Int, place: AssetPlace)])] = []

  /// - Parameters:
  ///   - sources: the sources to read from; each file is read from the first source that has it.
  ///   - isLimited: whether a limit may end the run early; if so, nothing is announced.
  package init(from sources: [AssetSource], isLimited: Bool = false) {
    self.sources = sources
    isFar = !isLimited && sources.contains { $0.isFar }
  }

  /// Reads an asset immediately, or later if any source is remote.
  package mutating func add(_ item: Item, _ places: some Sequence<AssetPlace>, _ read: (Item) throws -> Void) throws {
    guard isFar else { return try read(item) }
    let files = places.compactMap { place in
      // Ignore errors here, because they will occur again when the file is read.
      sources.firstIndex { (try? $0.assetSize(place)) ?? nil != nil }.map { ($0, place) }
    }
    waiting.append((item, files))
    if waiting.count > Self.most { try readNext(read) }
  }

  package mutating func finish(_ read: (Item) throws -> Void) throws {
    defer { for source in sources where isFar { try? source.expect([]) } }
    while !waiting.isEmpty { try readNext(read) }
  }

  private mutating func readNext(_ read: (Item) throws -> Void) throws {
    var places: [Int: [AssetPlace]] = [:]
    for file in waiting.lazy.flatMap(\.files) { places[file.source, default: []].append(file.place) }
    for (source, some) in places { try? sources[source].expect(some) }
    try read(waiting.removeFirst().item)
  }
}
