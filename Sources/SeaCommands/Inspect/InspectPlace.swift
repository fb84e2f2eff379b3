import SeaCore
import SeaEngine
import SeaWords

/// What a container, a bundle or a store holds.
struct InspectPlace {
  private let session: Session
  private let place: any InspectedPlace
  private let name: String
  private var terminal: Terminal { session.terminal }

  init(_ session: Session, _ place: any InspectedPlace, _ name: String) {
    (self.session, self.place, self.name) = (session, place, name)
  }

  // MARK: - All of it

  /// What it says of itself, what lies in it by kind, and its chains.
  func summary() throws -> ExitStatus {
    let layout = try place.layout(keepsFiles: false)
    let chains = try place.chains()
    let facts = place.facts
    let item: Item = [
      "where": .text(name), "form": .text(place.form), "database": .id(facts.database),
      "container": .id(facts.container),
      "content_type": .text(facts.contentType), "sealed": .flag(facts.isSealed),
      "members": .flag(facts.hasMembers), "files": .integer(layout.total.files),
      "bytes": .integer(layout.total.bytes), "opens": .flag(!facts.isSealed || place.keys != nil),
    ]
    try terminal.show(Item(event: "place", item)) {
      var lines = [
        "\(place.form) \(name)",
        "database \(terminal.short(facts.database))  \(facts.contentType)"
          + (facts.isSealed ? "  sealed" : "") + (facts.hasMembers ? "  members" : ""),
      ]
      if facts.isSealed, place.keys == nil { lines.append("no key is here: only headers and sizes can be seen") }
      return lines + [""]
    }
    try kinds(layout)
    if !terminal.options.json, !chains.isEmpty { try terminal.line("") }
    let list = try Listing(
      terminal,
      [
        Column("CHAIN", "chain"), Column("NAME", "name"), Column("BLOCKS", "blocks", right: true),
        Column("SIZE", right: true) { item, _ in item["bytes"].size }, Column("FIRST", brief: "began"),
        Column("LAST", brief: "ended"),
      ])
    for chain in chains { try list.add(chain.item) }
    try list.end()
    for chain in chains where chain.missing > 0 {
      try terminal.remark(
        "\(terminal.short(chain.branch.instance))\(chain.branch.tail): \(Count(chain.missing, "block")) "
          + "before block \(chain.last) \(chain.missing == 1 ? "is" : "are") missing, and what stands behind is not reached"
      )
    }
    return .success
  }

  private func kinds(_ layout: PlaceLayout) throws {
    let list = try Listing(
      terminal,
      [
        Column("FILES", "files", right: true), Column("SIZE", right: true) { item, _ in item["bytes"].size },
        Column("WHAT", "what"),
      ])
    for kind in FileMeaning.Kind.allCases {
      guard let sum = layout.kinds[kind] else { continue }
      let item: Item = [
        "kind": .text(kind.rawValue), "files": .integer(sum.files), "bytes": .integer(sum.bytes),
        "what": .aside(kind.words(sum.files)),
      ]
      try list.add(Item(event: "kind", item))
    }
    try list.end()
  }

  // MARK: - Files

  func files() throws -> ExitStatus {
    let layout = try place.layout(keepsFiles: true)
    var above: [Substring] = []
    for (path, size, meaning) in layout.files {
      let item: Item = [
        "path": .text(path), "bytes": .integer(size), "kind": .text(meaning.kind.rawValue),
        "chain": .text(meaning.branch), "first": .integer(meaning.blocks?.lowerBound),
        "last": .integer(meaning.blocks?.upperBound),
      ]
      try terminal.show(Item(event: "file", item)) {
        var parts = path.split(separator: "/")
        let own = parts.popLast() ?? ""
        let same = zip(parts, above).prefix { $0 == $1 }.count
        var lines = parts.indices[same...].map { String(repeating: "  ", count: $0) + parts[$0] + "/" }
        above = parts
        lines.append("\(String(repeating: "  ", count: parts.count))\(own)  \(SizeText.of(size))  \(meaning.words)")
        return lines
      }
    }
    if layout.more > 0 { terminal.notice("\(Count(layout.more, "file")) more") }
    terminal.summarise(["files": .integer(layout.total.files), "bytes": .integer(layout.total.bytes)])
    try terminal.remark("\(Count(layout.total.files, "file")), \(SizeText.of(layout.total.bytes))")
    return .success
  }

  // MARK: - Blocks

  /// - Parameter only: one branch; nil for all.
  func blocks(of only: BranchID?, withBytes: Bool) throws -> ExitStatus {
    let printer = InspectBlock(session, withBytes: withBytes)
    var (count, bytes, last) = (0, Int64(0), BranchID?.none)
    let problems = try place.forEachBlock(of: only, newest: nil) { block, raw in
      (count, bytes) = (count + 1, bytes + Int64(block.size))
      if block.ref.branch != last, !terminal.options.json {
        let name = block.name.map { "  \($0)" } ?? ""
        if last != nil { try terminal.line("") }
        try terminal.line(terminal.shown("chain \(block.ref.branch)\(name)"))
      }
      last = block.ref.branch
      if withBytes { return try printer.header(block, raw) }
      try terminal.show(block.item) { [printer.line(block)] }
    }
    for problem in problems {
      try terminal.show(terminal.item(problem)) {
        ["\(problem.code.rawValue) \(Failure.words(problem, in: terminal))"]
      }
    }
    terminal.summarise(["blocks": .integer(count), "bytes": .integer(bytes), "problems": .integer(problems.count)])
    try terminal.remark("\(Count(count, "block")), \(SizeText.of(bytes))")
    return problems.contains(where: \.isDamage) ? .corrupt : .success
  }
}

extension InspectedPlace {
  /// What kind of place it is, in a word.
  var form: String {
    switch self {
    case is InspectedBundle: "bundle"
    case is InspectedContainer: "container"
    default: "database"
    }
  }
}

extension InspectedChain {
  var item: Item {
    Item(
      event: "chain",
      [
        "chain": .id(branch), "name": .text(name.isEmpty ? nil : name), "first": .integer(first),
        "last": .integer(last), "blocks": .integer(count), "missing": missing > 0 ? .integer(missing) : .absent,
        "bytes": .integer(bytes), "began": .time(began),
        "ended": .time(ended),
      ])
  }
}

extension Field {
  /// A number of bytes for people.
  fileprivate var size: String { if case .number(let bytes) = self { SizeText.of(bytes) } else { "" } }
}
