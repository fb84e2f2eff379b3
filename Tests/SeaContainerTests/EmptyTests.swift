import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// Putting what is left of purged blocks in their place, held against every kind.
@Suite struct EmptyTests {
  private func made(_ kind: Kind) throws -> Specimen {
    let specimen = try kind.make()
    try specimen.container.create(Specimen.info)
    return specimen
  }

  private func removed(_ index: UInt32) -> [UInt8] {
    let header = BlockHeader(
      mode: .signed, payloadSize: 100, index: index, lamport: 9, previous: .zero, data: .zero)
    return header.removed(SHA256.hash(Array("\(index)".utf8)))
  }

  private func bytes(_ container: Container, _ index: UInt32) throws -> [UInt8] {
    var found: [UInt8] = []
    _ = try container.readBlocks(of: alpha, from: index) { _, bytes in
      found = Array(bytes)
      return false
    }
    return found
  }

  @Test(arguments: Kind.allCases) func onlyWhatIsThereIsReplaced(kind: Kind) throws {
    let specimen = try made(kind)
    let container = specimen.container
    try container.write(0..<1_003)
    let before = try [6, 8, 1_002].map { try bytes(container, $0) }
    try container.empty(alpha, [7: removed(7), 999: removed(999), 1_001: removed(1_001), 5_000: removed(5_000)])
    for index in [7, 999, 1_001] as [UInt32] { #expect(try bytes(container, index) == removed(index)) }
    #expect(try [6, 8, 1_002].map { try bytes(container, $0) } == before)
    var count = 0
    let end = try container.readBlocks(of: alpha, from: 0) { _, _ in
      count += 1
      return true
    }
    #expect(count == 1_003 && end == .end(next: 1_003))
    #expect(try container.lastIndex(of: alpha) == 1_002)
    #expect(try container.foreignFiles() == ForeignFiles())
    // Again it changes nothing.
    try container.empty(alpha, [7: removed(7)])
    #expect(try bytes(container, 7) == removed(7))
    #expect(throws: ContainerError.self) { try container.empty(alpha, [8: removed(7)]) }
    #expect(try bytes(container, 8) == before[1])
  }
}
