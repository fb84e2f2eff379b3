import SeaCore
import SeaSystem

extension HelperTrial {
  private static func block(_ index: UInt32, _ byte: UInt8 = 1) -> [UInt8] {
    let count = 100 + index % 7
    var writer = ByteWriter(capacity: BlockHeader.size + Int(count))
    BlockHeader(
      mode: index == 0 ? [.signed, .control] : [], payloadSize: count, index: index, lamport: 9, previous: .zero,
      data: .zero
    ).write(into: &writer)
    writer.append([UInt8](repeating: byte, count: Int(count)))
    return writer.array()
  }

  /// What a container promises, as far as sync lives by it: the rest follows from what files do.
  func container() throws {
    let container = HelperContainer(place, helpers)
    defer { container.close() }
    let chain = HelperTrial.chain
    let id = UUID(high: 0x5EA0_0000_0000_4000, low: 0x8000_0000_0000_0002)
    let info = ContainerInfo(container: id, database: id, contentType: "org.example.trial")
    try container.create(info)
    func write(_ range: Range<UInt32>) throws {
      var next = range.lowerBound
      _ = try container.writeBlocks(of: chain, from: next) {
        defer { next += 1 }
        return next < range.upperBound ? HelperTrial.block(next) : nil
      }
    }
    func read(_ want: UInt32) throws {
      var next: UInt32 = 0
      let end = try container.readBlocks(of: chain, from: 0) { index, bytes in
        let isSame = index == next && HelperTrial.block(index).withUnsafeBytes { sameBytes($0, bytes) }
        next += 1
        return isSame
      }
      try need(end == .end(next: want), "blocks 0 to \(want) of a chain are not read as they were written")
    }
    try write(0..<1)
    try write(1..<30)
    try read(30)
    try write(0..<30)
    container.forget()
    try need(try container.info() == info, "info.json is not what was written")
    try read(30)
    do {
      var other: [[UInt8]] = [HelperTrial.block(29, 2)]
      _ = try container.writeBlocks(of: chain, from: 29) { other.popLast() }
      throw Wrong("a block was replaced by another one")
    } catch ContainerError.differs {}
    try container.setAside(chain, 29, folded: false)
    container.forget()
    try read(29)
    let other = BranchID(id)
    var next: UInt32 = 0
    _ = try container.writeBlocks(of: other, from: 0) {
      defer { next += 1 }
      return next < 1002 ? HelperTrial.block(next) : nil
    }
    container.forget()
    try need(try container.chains().chains == [chain, other].sorted(), "the chains are not those that were written")
    try need(try container.survey(other).folded.map(\.first) == [0], "a thousand blocks are not one file")
    try need(try container.lastIndex(of: other) == 1001, "the last block of a chain is not named")
    let place = AssetPlace(instance: id, index: 3)
    let content = [UInt8](repeating: 5, count: 2_500_000)
    try container.writeAsset(place, size: Int64(content.count)) { offset, buffer in
      let part = content.dropFirst(Int(offset)).prefix(buffer.count)
      buffer.copyBytes(from: part)
      return part.count
    }
    var found: [UInt8] = []
    _ = try container.readAsset(place, from: 0) { piece in
      found.append(contentsOf: piece)
      return true
    }
    try need(found == content, "a file of assets is not what was written")
  }
}
