import SeaCore
import SeaKit

/// Names from standard input, and for each a line about the block, then the block itself if it is wanted. Every answer
/// is written at once, so that a program can ask and wait.
struct BlockBatch {
  private static let fields = ["block", "instance", "index", "hash", "size", "mode", "lamport", "previous", "data"]
  private let context: Context
  private let template: Template
  private let isBare: Bool
  private let withBytes: Bool

  init(_ context: Context, _ format: String?, withBytes: Bool) throws {
    self.context = context
    self.withBytes = withBytes
    isBare = format == nil
    template = try Template(
      format ?? "%(block) %(hash) %(size)", fields: Self.fields, zero: context.options.zero)
  }

  func run(_ source: BlockSource) throws {
    while let line = try context.input.line(terminator: context.options.zero ? 0 : 0x0A) {
      let name = String(decoding: line, as: UTF8.self)
      do {
        try source.each(name, answer)
      } catch let error as KitError where error.isAboutNames {
        if case .ambiguousInstance = error { try lack(name, "ambiguous") } else { try lack(name, "missing") }
      }
      try context.output.flush()
    }
  }

  private func answer(_ block: StoredBlock) throws {
    var item = FieldTable()
    item["block"] = .text(block.name)
    item["instance"] = block.instance.map { .name($0.description) }
    item["index"] = .integer(Int64(block.header.index))
    item["hash"] = .text(SHA256.hash(block.bytes).description)
    item["size"] = .integer(Int64(block.bytes.count))
    item["mode"] = .text(BlockOutput.words(block.header.mode).joined(separator: ","))
    item["lamport"] = .integer(Int64(block.header.lamport))
    item["previous"] = .text(block.header.previous.description)
    item["data"] = .text(block.header.data.description)
    if context.options.json, isBare {
      try context.object {
        $0.text("block", block.name)
        $0.text("hash", SHA256.hash(block.bytes).description)
        $0.integer("size", block.bytes.count)
      }
    } else {
      try context.output.write(template.bytes(item, context))
    }
    guard withBytes else { return }
    try context.output.write(block.bytes)
    try context.output.byte(0x0A)
  }

  private func lack(_ name: String, _ word: String) throws {
    guard context.options.json, isBare else { return try context.item("\(name) \(word)") }
    try context.object {
      $0.text("block", name)
      $0.flag(word, true)
    }
  }
}
