import SeaContainer
import SeaCore

/// Assets that are read one after another: a place elsewhere is told which ones follow, so that they are on their way meanwhile.
package struct AssetsAhead<Item> {
  /// So many wait for their turn.
  private static var most: Int { 32 }

  private let sources: [AssetSource]
  private let isFar: Bool
  private var waiting: [(item: Item, files: [(source: Int, place: AssetPlace)])] = []

  /// - Parameters:
  ///   - sources: what each file comes from the first of that has it.
  ///   - isLimited: whether not all may be read; then nothing is asked for before its turn.
  package init(from sources: [AssetSource], isLimited: Bool = false) {
    self.sources = sources
    isFar = !isLimited && sources.contains { $0.isFar }
  }

  /// Reads what is due; this one now, or when others have been noted that follow it.
  package mutating func add(_ item: Item, _ places: some Sequence<AssetPlace>, _ read: (Item) throws -> Void) throws {
    guard isFar else { return try read(item) }
    let files = places.compactMap { place in
      // What is wrong with a source is found out by whoever reads.
      sources.firstIndex { (try? $0.assetSize(place)) ?? nil != nil }.map { ($0, place) }
    }
    waiting.append((item, files))
    if waiting.count > Self.most { try readNext(read) }
  }

  /// Reads what still waits.
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
