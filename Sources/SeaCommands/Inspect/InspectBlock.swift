import SeaCore
import SeaEngine

/// Prints the header fields of a block next to their bytes, and then the content of the block.
struct InspectBlock {
  private let session: Session
  private let withBytes: Bool
  private var terminal: Terminal { session.terminal }

  init(_ session: Session, withBytes: Bool) { (self.session, self.withBytes) = (session, withBytes) }

  func print(_ source: BlockSource, _ name: String) throws -> ExitStatus {
    var status = ExitStatus.success
    try source.each(name) { stored in
      let keys = Result { try stored.keys() }
      let ring = try? keys.get()
      let branch = BranchID(stored.author)
      let block = try stored.bytes.withUnsafeBytes { try InspectedBlock($0, in: branch, keys: ring) }
      try terminal.show(block.item(named: stored.name)) { ["block \(stored.name)  \(line(block))", ""] }
      try stored.bytes.withUnsafeBytes { try fields(block, $0) }
      let content = stored.bytes.withUnsafeBytes { BlockReader.content(of: $0, of: stored.author, keys: ring) }
      if let payload = content.payload {
        if !terminal.options.json { try terminal.line("") }
        try said(payload, content.clear ?? stored.bytes)
      }
      if withBytes { try dump(stored.bytes) }
      guard let fault = content.fault, !block.header.mode.contains(.removed) else { return }
      if case .failure(let error) = keys { throw error }
      let failure = Failure.describing(fault)
      terminal.warning(failure.slug, failure.message, hint: failure.hint)
      status = status.and(failure.status)
    }
    return status
  }

  func line(_ block: InspectedBlock) -> String {
    var parts = ["\(block.ref.index)", block.time.map { terminal.text($0) } ?? "-", SizeText.of(Int64(block.size))]
    let words = block.header.mode.words.filter { !["signed", "control"].contains($0) }
    if !words.isEmpty { parts.append(words.joined(separator: ",")) }
    if let count = block.changeCount, count > 0 { parts.append("\(Count(count, "change"))") }
    if let count = block.controlCount, count > 0 {
      parts.append("\(count) control \(count == 1 ? "entry" : "entries")")
    }
    if !block.heads.isEmpty {
      let seen = block.heads.prefix(4).map { "\(terminal.short($0.instance))/\($0.index)" }
      let more = block.heads.count > 4 ? " and \(block.heads.count - 4) more" : ""
      parts.append("has seen \(seen.joined(separator: " "))\(more)")
    }
    if let label = block.label { parts.append("'\(label)'") }
    if block.fault != nil, !block.header.mode.contains(.removed) { parts.append("not readable") }
    if !block.isReached { parts.append("not reached") }
    return parts.joined(separator: "  ")
  }

  func header(_ block: InspectedBlock, _ bytes: UnsafeRawBufferPointer) throws {
    try terminal.show(block.item) { [line(block)] }
    try fields(block, bytes)
    try dump(Array(bytes))
  }

  // MARK: - Bytes

  private func fields(_ block: InspectedBlock, _ bytes: UnsafeRawBufferPointer) throws {
    for (name, range, value) in block.header.fields {
      let hex = Hex.text(UnsafeRawBufferPointer(rebasing: bytes[range]))
      let item: Item = [
        "field": .text(name), "offset": .integer(range.lowerBound), "size": .integer(range.count), "hex": .text(hex),
        "value": .text(value),
      ]
      try terminal.show(Item(event: "field", item)) {
        let padded = name + String(repeating: " ", count: max(0, 13 - name.utf8.count))
        let at = InspectBlock.column(range.lowerBound, 4)
        guard hex.utf8.count > 16 else {
          return ["\(at)  \(padded) \(hex)\(String(repeating: " ", count: 17 - hex.utf8.count)) \(value)"]
        }
        return ["\(at)  \(padded) \(hex)", "      \(String(repeating: " ", count: 13)) \(value)"]
      }
    }
  }

  private static func column(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: " ", count: max(0, width - text.utf8.count)) + text
  }

  private func dump(_ bytes: [UInt8]) throws {
    if terminal.options.json { return try terminal.object(Item(event: "bytes", ["hex": .text(Hex.text(bytes))])) }
    try terminal.line("")
    for start in stride(from: 0, to: bytes.count, by: 16) {
      let row = bytes[start..<min(start + 16, bytes.count)]
      let hex = row.map { Hex.text([$0]) }.joined(separator: " ")
      let text = String(decoding: row.map { (0x20..<0x7F).contains($0) ? $0 : 0x2E }, as: UTF8.self)
      let gap = String(repeating: " ", count: 47 - hex.utf8.count)
      try terminal.line("\(InspectBlock.column(start, 8))  \(hex)\(gap)  \(text)")
    }
  }

  // MARK: - Content

  private func said(_ payload: Payload, _ clear: [UInt8]) throws {
    for head in payload.heads {
      let item: Item = ["instance": .id(head.instance), "index": .integer(head.index), "hash": .text(head.digest)]
      try terminal.show(Item(event: "seen", item)) { ["has seen \(head.instance)/\(head.index)  \(head.digest)"] }
    }
    try BlockOutput.forEachItem(of: payload, clear) { item in
      let isControl = item.fields.first?.name == "control"
      try terminal.show(Item(event: isControl ? "entry" : "change", item)) {
        isControl ? InspectBlock.entry(item) : InspectBlock.change(item)
      }
    }
  }

  private static func entry(_ item: Item) -> [String] {
    ["entry \(item["control"].plain)"]
      + item.fields.dropFirst().filter { !$0.value.plain.isEmpty }.map { "  \($0.name) \($0.value.plain)" }
  }

  private static func change(_ item: Item) -> [String] {
    let type = item["type"].plain
    var lines = ["\(item["kind"].plain) \(item["id"].plain)\(type.isEmpty ? "" : "  \(type)")  \(item["rev"].plain)"]
    for name in ["parent", "merged", "body"] where !item[name].plain.isEmpty {
      lines.append("  \(name) \(item[name].plain)")
    }
    return lines
  }
}

extension InspectedBlock {
  var item: Item { item(named: ref.description) }

  func item(named name: String) -> Item {
    Item(
      event: "block",
      [
        "block": .id(name), "hash": .text(ref.digest), "mode": .texts(header.mode.words),
        "bytes": .integer(size), "index": .integer(header.index), "lamport": .integer(header.lamport),
        "time": .time(time), "label": .text(label), "changes": .integer(changeCount), "entries": .integer(controlCount),
        "seen": heads.isEmpty ? .absent : .items(heads) { Item(head: $0) },
        "readable": .flag(fault == nil), "reached": isReached ? .absent : .flag(false),
      ])
  }
}
