import SeaCore
import SeaEngine
import SeaSystem

enum CatBlockCommand: Command {
  static var title: Title {
    Title("cat-block", .plumbing, .plumbing, needs: .database, "print blocks, their headers or their contents")
  }
  static var synopsis: [String] {
    [
      "[--header | --payload | --pretty | -e] BLOCK|FILE...", "[--header | --payload | --pretty | -e] --file=FILE",
      "[--batch[=FORMAT] | --batch-check[=FORMAT]]",
    ]
  }
  static let header = Option("header", help: "print only the 84 bytes of the header")
  static let payload = Option("payload", help: "print only the bytes after the header")
  static let pretty = Option("pretty", help: "print the header and the content as JSON Lines")
  static let exists = Option("exists", "e", help: "print nothing; report in the exit status whether all blocks exist")
  static let file = Option("file", nil, .file, "FILE", "read the blocks from FILE ('-': standard input)")
  static let batch = Option(
    "batch", nil, .text, "FORMAT", "read names from standard input; print a line and the block for each",
    valueIsOptional: true)
  static let batchCheck = Option(
    "batch-check", nil, .text, "FORMAT", "read names from standard input; print a line for each", valueIsOptional: true)
  static var options: [Option] { [header, payload, pretty, exists, file, batch, batchCheck] }
  static var operands: [Operand] { [.any("BLOCK", .block)] }
  static var exits: [Exit] {
    [
      Exit(.no, "with -e: a block does not exist"), Exit(.notFound, "no such block, or the name is ambiguous"),
      Exit(.corrupt, "a file does not consist of whole blocks in order"),
      Exit(.denied, "with --pretty: the block is encrypted and its key is not available"),
      Exit(.incompatible, "with --pretty: the block needs a newer version of sea"),
    ]
  }

  static func run(_ session: Session, _ arguments: Arguments) throws -> ExitStatus {
    let form = try arguments.only(of: [header, payload, pretty, exists, batch, batchCheck])
    let source = BlockSource(session)
    if let form, form.key == batch.key || form.key == batchCheck.key {
      if let word = arguments.operand(0) { throw UsageFault.extraOperand(word) }
      if arguments.has(file) { throw UsageFault.excluded([form.dashed, "--file"]) }
      try BlockBatch(session, arguments.text(form), withBytes: form.key == batch.key).run(source)
      return .success
    }
    if arguments.operands.isEmpty == !arguments.has(file) { throw UsageFault.needsOneOf(["BLOCK", "--file"]) }
    let output = BlockOutput(session: session)
    func print(_ block: StoredBlock) throws {
      switch form?.key {
      case header.key: try output.raw(block.bytes.prefix(BlockHeader.size))
      case payload.key: try output.raw(block.bytes.dropFirst(BlockHeader.size))
      case exists.key: break
      case nil where !session.options.json: try output.raw(block.bytes[...])
      default: try output.pretty(block)
      }
    }
    do {
      if let name = arguments.text(file) { try source.file(name, print) }
      for name in arguments.operands { try source.each(name, print) }
    } catch let error as KitError where error.isAboutNames && form?.key == exists.key {
      return .no
    }
    return .success
  }
}

/// Reads names from standard input and prints a line about each block, followed by the block itself if requested. Each
/// answer is flushed immediately, because a program may be waiting for it.
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
    let (header, hash) = (block.header, block.header.hash)
    if session.options.json, isBare {
      try session.terminal.object([
        "block": .id(block.name), "hash": .text(hash), "size": .integer(block.bytes.count),
      ])
    } else {
      let item: Item = [
        "block": .text(block.name), "instance": .id(block.instance), "index": .integer(header.index),
        "hash": .text(hash), "size": .integer(block.bytes.count),
        "mode": .text(header.mode.words.joined(separator: ",")), "lamport": .integer(header.lamport),
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
