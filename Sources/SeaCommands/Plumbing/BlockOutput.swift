import SeaCore
import SeaEngine

struct BlockOutput {
  let session: Session

  func raw(_ bytes: ArraySlice<UInt8>) throws {
    if session.host.isTerminal(1) { throw Failure.blockAtTerminal }
    try bytes.withUnsafeBytes { try session.terminal.output.write($0) }
  }

  func pretty(_ block: StoredBlock) throws {
    let keys = Result { try block.keys() }
    let content = block.bytes.withUnsafeBytes {
      BlockReader.content(of: $0, of: block.author, keys: try? keys.get())
    }
    let (header, payload) = (block.header, content.payload)
    let heads = block.bytes.withUnsafeBytes { header.heads(in: $0) }
    try session.terminal.object([
      "block": .id(block.name), "hash": .text(block.header.hash),
      "mode": .texts(header.mode.words), "size": .integer(block.bytes.count),
      "index": .integer(header.index), "lamport": .integer(header.lamport), "previous": .text(header.previous),
      "data": .text(header.data), "time": .time(payload?.time), "label": .text(payload?.label),
      "heads": heads.isEmpty ? .absent : .items(heads) { Item(head: $0) },
      "changes": .integer(payload?.changes.count),
    ])
    guard let payload else {
      // A purged block has no content, so only its header is printed.
      if header.mode.contains(.removed) { return }
      _ = try keys.get()
      if let fault = content.fault { throw fault }
      return
    }
    try BlockOutput.forEachItem(of: payload, content.clear ?? block.bytes) { try session.terminal.object($0) }
  }

  static func forEachItem(of payload: Payload, _ clear: [UInt8], _ body: (Item) throws -> Void) throws {
    for entry in payload.controls {
      let (kind, item) = control(entry)
      var whole: Item = ["control": .text(kind)]
      whole.add(item)
      try body(whole)
    }
    try clear[BlockHeader.size...].withUnsafeBufferPointer { bytes in
      for change in payload.changes { try body(item(of: change, bytes)) }
    }
  }

  private static func control(_ entry: ControlEntry) -> (String, Item) {
    switch entry {
    case .instance(let name, let key, let exchange, let follows):
      (
        "instance",
        [
          "name": .text(name), "key": .text(Hex.text(key)), "exchange": .text(Hex.text(exchange)),
          "follows": .id(follows?.predecessor),
        ]
      )
    case .shared(let key, let value): ("shared", ["key": .text(key), "value": .text(value).orNull])
    case .authorize(let one):
      (
        "authorize",
        [
          "instance": .id(one.instance), "role": .text(one.role.rawValue), "key": .text(Hex.text(one.key)),
          "exchange": .text(Hex.text(one.exchange)),
        ]
      )
    case .revoke(let instance, let last, let keeps):
      (
        "revoke",
        [
          "instance": .id(instance), "index": .integer(last?.index).orNull, "hash": .text(last?.digest).orNull,
          "keeps": .texts(keeps),
        ]
      )
    case .epoch(let change):
      (
        "epoch",
        [
          "epoch": .integer(change.epoch), "key": .text(change.key), "slots": .texts(change.slots),
          "readers": .texts(change.readers), "ended": .texts(change.ended),
        ]
      )
    case .purge(let order):
      (
        "purge",
        [
          "instance": .id(order.block.instance), "index": .integer(order.block.index),
          "hash": .text(order.block.digest), "changes": .integer(order.changes.count),
        ]
      )
    case .unknown(let name): (name, [:])
    }
  }

  private static func item(of change: Change, _ bytes: UnsafeBufferPointer<UInt8>) throws -> Item {
    var merged: [String] = []
    var cursor = CBORCursor(UnsafeBufferPointer(rebasing: bytes[change.merged]))
    for _ in 0..<change.mergedCount { merged.append(try RevisionID(&cursor).description) }
    func text(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
    var writer = ByteWriter()
    if let body = change.body {
      try JSONWriter.writeRecord(
        id: nil, type: nil, rev: nil, body: UnsafeBufferPointer(rebasing: bytes[body]), into: &writer)
    }
    return [
      "id": .id(text(change.id)), "type": .text(change.type.map(text)), "rev": .id(change.revision),
      "parent": .id(change.parent), "merged": merged.isEmpty ? .absent : .texts(merged),
      "kind": .text(change.kind.rawValue),
      "body": change.body == nil ? .absent : .json(String(decoding: writer.bytes, as: UTF8.self)),
    ]
  }
}
