import SeaKit

/// Places the revisions of a record one below the other, each below those that follow it, and the lines between them.
struct RevisionGraph {
  /// The kind of a line: from a revision to its parent, or from a merge to a merged revision.
  enum Line: Sendable { case parent, merge }

  struct Row: Sendable {
    let revision: RecordRevision
    /// The lane of the revision, from 0.
    var lane = 0
    /// The lanes whose lines end in this revision, and those that pass it.
    var ending: [(lane: Int, line: Line)] = []
    var passing: [(lane: Int, line: Line)] = []
    /// The lanes that begin in this revision.
    var beginning: [(lane: Int, line: Line)] = []
    /// Whether the parent is not known here.
    var isCut = false
  }

  private(set) var rows: [Row] = []
  private(set) var lanes = 1

  init(_ revisions: [RecordRevision]) {
    let known = Dictionary(revisions.map { ($0.revision, $0) }, uniquingKeysWith: { first, _ in first })
    var wanted: [(revision: Revision, line: Line)?] = [nil]
    for revision in RevisionGraph.sorted(revisions, known) {
      var row = Row(revision: revision)
      for lane in wanted.indices {
        guard let one = wanted[lane] else { continue }
        if one.revision == revision.revision {
          row.ending.append((lane, one.line))
        } else {
          row.passing.append((lane, one.line))
        }
      }
      // The first lane is that of the winner and its ancestors.
      let awaited = row.ending.map(\.lane).filter { $0 > 0 }.min()
      row.lane = revision.isOnWinningBranch ? 0 : awaited ?? RevisionGraph.free(&wanted)
      for (lane, _) in row.ending { wanted[lane] = nil }
      if let parent = revision.parent {
        if known[parent] != nil {
          // Whose parent is awaited elsewhere already goes there.
          row.beginning.append((row.lane, .parent))
          wanted[row.lane] = (parent, .parent)
        } else {
          row.isCut = true
        }
      }
      for merged in revision.merged where known[merged] != nil {
        let there = wanted.indices.first { wanted[$0]?.revision == merged } ?? RevisionGraph.free(&wanted)
        if wanted[there] == nil { wanted[there] = (merged, .merge) }
        row.beginning.append((there, .merge))
      }
      lanes = max(lanes, wanted.count, row.lane + 1)
      rows.append(row)
    }
  }

  private static func free(_ wanted: inout [(revision: Revision, line: Line)?]) -> Int {
    if let lane = wanted.indices.dropFirst().first(where: { wanted[$0] == nil }) { return lane }
    wanted.append(nil)
    return wanted.count - 1
  }

  /// Sorts each revision before its parent and the revisions that it merged, and newer revisions first. A resolved end
  /// is next to its parent, because it can be much newer.
  private static func sorted(_ revisions: [RecordRevision], _ known: [Revision: RecordRevision]) -> [RecordRevision] {
    func before(_ one: RecordRevision) -> [Revision] {
      ([one.parent].compactMap { $0 } + one.merged).filter { known[$0] != nil }
    }
    func time(_ one: RecordRevision) -> Int64 {
      let ended = one.state == .tombstone && !one.isOnWinningBranch ? one.parent.flatMap { known[$0] } : nil
      return (ended ?? one).time?.milliseconds ?? .min
    }
    let ranks = Dictionary(
      revisions.map { ($0.revision, ($0.state == .winner ? 1 : 0, time($0), $0.revision.description)) },
      uniquingKeysWith: { first, _ in first })
    var following: [Revision: Int] = [:]
    for one in revisions { for other in before(one) { following[other, default: 0] += 1 } }
    var ready = revisions.filter { following[$0.revision, default: 0] == 0 }
    var all: [RecordRevision] = []
    var placed: Set<Revision> = []
    while !ready.isEmpty {
      let next = ready.indices.max { ranks[ready[$0].revision]! < ranks[ready[$1].revision]! }!
      let one = ready.remove(at: next)
      guard placed.insert(one.revision).inserted else { continue }
      all.append(one)
      for other in before(one) {
        following[other, default: 1] -= 1
        if following[other] == 0, let found = known[other] { ready.append(found) }
      }
    }
    return all
  }

  // MARK: - Drawing

  private static let (step, middle, bend) = (18, 17, 22)
  static let mostLanes = 24
  var width: Int { min(lanes, RevisionGraph.mostLanes) * RevisionGraph.step + 4 }

  private static func x(_ lane: Int) -> Int { 12 + min(lane, mostLanes - 1) * step }

  /// The lines and the mark of one row, as high as the row is.
  func drawing(of row: Row) -> HTML {
    typealias Graph = RevisionGraph
    func kind(_ line: Line, _ lane: Int) -> String {
      line == .merge ? "rail merge" : lane == 0 ? "rail winning" : "rail"
    }
    let x = Graph.x(row.lane)
    var html = HTML()
    for (lane, line) in row.passing { html += SVG.fall(kind(line, lane), Graph.x(lane), from: 0) }
    for (lane, line) in row.ending {
      html +=
        lane == row.lane
        ? SVG.line(kind(line, lane), x, 0, x, Graph.middle)
        : SVG.curve(kind(line, lane), Graph.x(lane), 0, x, Graph.middle, isUpright: true)
    }
    for (lane, line) in row.beginning {
      if lane == row.lane {
        html += SVG.fall(kind(line, lane), x, from: Graph.middle)
      } else {
        let isPassing = row.passing.contains { $0.lane == lane }
        html += SVG.curve(kind(line, lane), x, Graph.middle, Graph.x(lane), Graph.middle + Graph.bend, isUpright: true)
        if !isPassing { html += SVG.fall(kind(line, lane), Graph.x(lane), from: Graph.middle + Graph.bend) }
      }
    }
    if row.isCut { html += SVG.line("rail merge", x, Graph.middle, x, Graph.middle + Graph.bend) }
    let (mark, look) = Graph.mark(row.revision)
    let size = row.revision.state == .winner ? 8 : row.revision.state == .inner ? 4 : 6
    return html + SVG.mark(mark, look, x, Graph.middle, size)
  }

  static func mark(_ revision: RecordRevision) -> (SVG.Mark, String) {
    switch revision.state {
    case .winner: (.target, "change")
    case .loser: (.diamond, "side")
    case .tombstone: (.cross, "quiet")
    case .waiting: (.dashed, "quiet")
    case .inner: (.ring, revision.isOnWinningBranch ? "change" : "quiet")
    }
  }

  static let legend = SVG.legend([
    (.target, "change", "winner: the content that is shown"), (.diamond, "side", "side: in conflict with the winner"),
    (.cross, "quiet", "resolved end: merged or deleted"), (.ring, "change", "earlier revision"),
    (.dashed, "quiet", "its parent has not arrived yet"),
  ])
}
