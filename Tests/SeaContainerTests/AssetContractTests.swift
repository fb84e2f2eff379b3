import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport
import Testing

/// What Container promises of assets, held against every kind.
@Suite struct AssetContractTests {
  private func made(_ kind: Kind) throws -> Specimen {
    let specimen = try kind.make()
    try specimen.container.create(Specimen.info)
    return specimen
  }

  private func assetPlace(_ index: UInt32, _ instance: UUID = alpha.instance) -> AssetPlace {
    AssetPlace(instance: instance, index: index)
  }

  @Test(arguments: Kind.allCases) func readReturnsWrittenAsset(kind: Kind) throws {
    let container = try made(kind).container
    for (index, size) in [0, 1, 1_048_576, 1_048_577, 3_000_000].enumerated() {
      let place = assetPlace(UInt32(index))
      #expect(try container.assetSize(place) == nil)
      #expect(try container.readAsset(place, from: 0) { _ in true } == false)
      try container.write(bytes(size), at: place)
      #expect(try container.assetSize(place) == Int64(size))
      for start in [0, size / 2, size, size + 5] {
        #expect(try container.content(place, from: Int64(start)) == Array(bytes(size).dropFirst(start)))
      }
    }
    var pieces = 0
    _ = try container.readAsset(assetPlace(4), from: 0) { piece in
      pieces += 1
      #expect((1...AssetFile.pieceSize).contains(piece.count))
      return pieces < 2
    }
    #expect(pieces == 2)
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func assetsAreListedInOrder(kind: Kind) throws {
    let container = try made(kind).container
    let indices: [UInt32] = [1_000_000, 999, 0, 1000, 4_294_967_295, 1_999_999, 2]
    var places = indices.map { assetPlace($0) } + [assetPlace(3, beta.instance)]
    for place in places { try container.write([1, 2], at: place) }
    places.sort()
    var found: [AssetPlace] = []
    try container.forEachAsset { place, size in
      #expect(size == 2)
      found.append(place)
    }
    #expect(found == places)
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  @Test(arguments: Kind.allCases) func existingAssetIsNeverReplaced(kind: Kind) throws {
    let container = try made(kind).container
    try container.write([1, 2, 3], at: assetPlace(0))
    try container.write([1, 2, 3], at: assetPlace(0))
    // What has the size is taken for the same: whoever reads it holds it against its digest.
    try container.write([7, 8, 9], at: assetPlace(0))
    for other in [[], [1, 2], [1, 2, 3, 4]] as [[UInt8]] {
      #expect { try container.write(other, at: assetPlace(0)) } throws: { isBadAsset($0, .differs) }
    }
    #expect(try container.content(assetPlace(0)) == [1, 2, 3])
  }

  @Test(arguments: Kind.allCases) func badSizesAndShortSourcesAreRefused(kind: Kind) throws {
    let container = try made(kind).container
    for size in [-1, AssetFile.largest + 1] {
      #expect {
        try container.writeAsset(assetPlace(0), size: size) { _, buffer in buffer.count }
      } throws: {
        isBadAsset($0, .tooLarge)
      }
    }
    #expect {
      try container.writeAsset(assetPlace(0), size: 10) { offset, buffer in offset == 0 ? 4 : 0 }
    } throws: {
      isBadAsset($0, .ended)
    }
    #expect(try container.assetSize(assetPlace(0)) == nil)
    let unmade = try kind.make().container
    #expect(throws: ContainerError.self) { try unmade.write([1], at: assetPlace(0)) }
  }

  /// A source that gives little at a time, and one that fails at every piece in turn: the same call goes on.
  @Test(arguments: Kind.allCases) func interruptedWriteIsInvisibleAndRepeatable(kind: Kind) throws {
    let container = try made(kind).container
    let content = bytes(3_500_000)
    for stop in stride(from: Int64(0), to: 3_500_000, by: 700_000) {
      #expect(throws: Interruption.self) {
        try container.writeAsset(assetPlace(0), size: Int64(content.count)) { offset, buffer in
          if offset >= stop { throw Interruption() }
          return fill(buffer, content, offset, most: 300_001)
        }
      }
      #expect(try container.assetSize(assetPlace(0)) == nil)
      var found = 0
      try container.forEachAsset { _, _ in found += 1 }
      #expect(found == 0)
    }
    try container.write(content, at: assetPlace(0))
    #expect(try container.content(assetPlace(0)) == content)
    #expect(try container.foreignFiles() == ForeignFiles())
  }

  /// What was left unfinished may be of other content, as when a disk was restored: it is not believed.
  @Test(arguments: Kind.allCases) func resumedWriteKeepsNoStaleContent(kind: Kind) throws {
    let container = try made(kind).container
    let (old, new) = (bytes(2_500_000, seed: 1), bytes(1_700_000, seed: 2))
    #expect(throws: Interruption.self) {
      try container.writeAsset(assetPlace(0), size: Int64(old.count)) { offset, buffer in
        if offset >= 2_000_000 { throw Interruption() }
        return fill(buffer, old, offset)
      }
    }
    try container.write(new, at: assetPlace(0))
    #expect(try container.content(assetPlace(0)) == new)
  }

  @Test func failedWriteLeavesNoAsset() throws {
    let memory = MemoryContainer()
    let faulty = FaultyContainer(memory)
    try faulty.create(Specimen.info)
    faulty.assetBytesBeforeFailure = 1_500_000
    faulty.assetPiece = 400_000
    let content = bytes(2_000_000)
    #expect(throws: FaultyContainer.failure) { try faulty.write(content, at: assetPlace(0)) }
    #expect(try faulty.assetSize(assetPlace(0)) == nil)
    try faulty.write(content, at: assetPlace(0))
    #expect(try faulty.content(assetPlace(0)) == content)
  }
}

func bytes(_ count: Int, seed: Int = 0) -> [UInt8] {
  (0..<count).map { UInt8(truncatingIfNeeded: ($0 &+ seed) &* 2_654_435_761 >> 13) }
}

func fill(
  _ buffer: UnsafeMutableRawBufferPointer, _ content: [UInt8], _ offset: Int64, most: Int = .max
) -> Int {
  let part = content.dropFirst(Int(offset)).prefix(min(buffer.count, most))
  buffer.copyBytes(from: part)
  return part.count
}

func isBadAsset(_ error: any Error, _ fault: AssetFileFault) -> Bool {
  guard case ContainerError.badAsset(fault, _) = error else { return false }
  return true
}

extension Container {
  func write(_ content: [UInt8], at place: AssetPlace) throws {
    try writeAsset(place, size: Int64(content.count)) { offset, buffer in fill(buffer, content, offset) }
  }

  func content(_ place: AssetPlace, from offset: Int64 = 0) throws -> [UInt8] {
    var found: [UInt8] = []
    _ = try readAsset(place, from: offset) { piece in
      found.append(contentsOf: piece)
      return true
    }
    return found
  }
}
