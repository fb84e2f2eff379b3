import SeaCore
import SeaEngine
import SeaWords

/// Names from standard input, and for each a line about the block, then the block itself if it is wanted. Every answer
/// is written at once, so that a program can ask and wait.
struct BlockBatch {
  private static let fields = ["block", "instance", "index", "hash", "size", "mode", "lamport", "previous", "data"]
  private let session: Session
  private let template: Template
  private let isBare: Bool
  private let withBytes: Bool

  init(_ session: Session, _ format: String?, withBytes: Bool) throws {
    self.session = session
    self.withBytes = withBytes
    isBare = format == nil
    template = try Template(format ?? "%(block) %(hash) %(size)", fields: Self.fields, for: session.terminal)
  }

  func run(_ source: BlockSource) throws {
    while let line = try session.terminal.input.line(terminator: session.options.zero ? 0 : 0x0A) {
      let name = String(decoding: line, as: UTF8.self)
      do {
        try source.each(name, answer)
      } catch let error as KitError where error.isAboutNames {
        if case .ambiguousInstance = error { try lack(name, "ambiguous") } else { try lack(name, "missing") }
      }
      try session.terminal.output.flush()
    }
  }

  private func answer(_ block: StoredBlock) throws {
    let (header, hash) = (block.header, SHA256.hash(block.bytes))
    if session.options.json, isBare {
      try session.terminal.object([
        "block": .id(block.name), "hash": .text(hash), "size": .integer(block.bytes.count),
      ])
    } else {
      let item: Item = [
        "block": .text(block.name), "instance": .id(block.instance), "index": .integer(header.index),
        "hash": .text(hash), "size": .integer(block.bytes.count),
        "mode": .text(BlockOutput.words(header.mode).joined(separator: ",")), "lamport": .integer(header.lamport),
        "previous": .text(header.previous), "data": .text(header.data),
      ]
      try session.terminal.output.write(template.bytes(item, session.terminal))
    }
    guard withBytes else { return }
    try BlockOutput(session: session).raw(block.bytes[...])
    try session.terminal.output.byte(0x0A)
  }

  private func lack(_ name: String, _ word: String) throws {
    guard session.options.json, isBare else { return try session.terminal.item("\(name) \(word)") }
    try session.terminal.object(["block": .text(name), word: .flag(true)])
  }
}
