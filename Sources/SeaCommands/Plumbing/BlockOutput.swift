import SeaCore
import SeaKit

/// Blocks as bytes or as JSON.
struct BlockOutput {
  private let context: Context

  init(_ context: Context) { self.context = context }

  func raw(_ bytes: ArraySlice<UInt8>) throws { try bytes.withUnsafeBytes { try context.output.write($0) } }

  /// One object for the header, and one for each item of the payload.
  func pretty(_ block: StoredBlock) throws {
    let opened = Result {
      try block.bytes.withUnsafeBytes { try BlockReader.open($0, of: block.author, keys: block.keys()) }
    }
    try context.object { object in
      object.text("block", block.name)
      object.text("hash", SHA256.hash(block.bytes).description)
      object.texts("mode", BlockOutput.words(block.header.mode))
      object.integer("size", block.bytes.count)
      object.integer("index", block.header.index)
      object.integer("lamport", block.header.lamport)
      object.text("previous", block.header.previous.description)
      object.text("data", block.header.data.description)
      if let payload = try? opened.get().payload {
        object.text("time", DateStyle.machine(payload.time))
        object.text("label", payload.label)
        object.integer("changes", payload.changes.count)
      }
    }
    let (content, clear) = try opened.get()
    for entry in content.controls { try control(entry) }
    try (clear ?? block.bytes)[BlockHeader.size...].withUnsafeBufferPointer { bytes in
      for change in content.changes { try self.change(change, bytes) }
    }
  }

  static func words(_ mode: BlockHeader.Mode) -> [String] {
    let known: [(BlockHeader.Mode, String)] = [
      (.sealed, "sealed"), (.compressed, "compressed"), (.signed, "signed"), (.removed, "removed"),
    ]
    return known.filter { mode.contains($0.0) }.map(\.1)
  }

  private func control(_ entry: ControlEntry) throws {
    try context.object { object in
      switch entry {
      case .instance(let name, let key, let exchange):
        object.text("control", "instance")
        object.text("name", name)
        object.text("key", Hex.text(key))
        object.text("exchange", Hex.text(exchange))
      case .heads(let heads):
        object.text("control", "heads")
        object.objects("heads", heads) { head, one in
          one.text("instance", head.instance.description)
          one.integer("index", head.index)
          one.text("hash", head.digest.description)
        }
      case .shared(let key, let value):
        object.text("control", "shared")
        object.text("key", key)
        if let value { object.text("value", value) } else { object.null("value") }
      case .authorise(let authorisation):
        object.text("control", "authorise")
        object.text("instance", authorisation.instance.description)
        object.text("role", authorisation.role.rawValue)
        object.text("key", Hex.text(authorisation.key))
        object.text("exchange", Hex.text(authorisation.exchange))
      case .revoke(let instance, let last):
        object.text("control", "revoke")
        object.text("instance", instance.description)
        if let last { object.integer("index", last.index) } else { object.null("index") }
        if let last { object.text("hash", last.digest.description) } else { object.null("hash") }
      case .epoch(let change):
        object.text("control", "epoch")
        object.integer("epoch", change.epoch)
        object.texts("slots", change.slots.map(\.description))
        object.texts("ended", change.ended.map(\.description))
      case .unknown(let name): object.text("control", name)
      }
    }
  }

  private func change(_ change: Change, _ bytes: UnsafeBufferPointer<UInt8>) throws {
    var merged: [String] = []
    var cursor = CBORCursor(UnsafeBufferPointer(rebasing: bytes[change.merged]))
    for _ in 0..<change.mergedCount { merged.append(try RevisionID(&cursor).description) }
    try context.object { object in
      object.text("id", String(decoding: bytes[change.id], as: UTF8.self))
      object.text("type", change.type.map { String(decoding: bytes[$0], as: UTF8.self) })
      object.text("rev", change.revision.description)
      object.text("parent", change.parent?.description)
      if !merged.isEmpty { object.texts("merged", merged) }
      object.text("kind", change.kind.rawValue)
      guard let body = change.body else { return }
      var writer = ByteWriter()
      try JSONWriter.writeRecord(
        id: nil, type: nil, rev: nil, body: UnsafeBufferPointer(rebasing: bytes[body]), into: &writer)
      object.raw("body", writer.bytes)
    }
  }
}
