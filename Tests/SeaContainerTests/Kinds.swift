import SeaContainer
import SeaCore
import SeaSystem
import SeaTestSupport

/// The containers that the contract is held against.
enum Kind: String, CaseIterable, Sendable {
  case directory, memory, countedDirectory, calmMemory, helper

  func make() throws -> Specimen {
    switch self {
    case .directory, .countedDirectory:
      let folder = try ScratchFolder()
      let path = folder.path("container")
      let inner = DirectoryContainer(path)
      return Specimen(
        self == .directory ? PassingContainer(inner, keeping: folder) : CountingContainer(inner, keeping: folder),
        folder
      ) { bytes, chain, index in
        try folder.write("container/transactions/\(chain)/\(Layout.path(of: index))", bytes)
      }
    case .memory, .calmMemory:
      let inner = MemoryContainer()
      return Specimen(self == .memory ? inner : FaultyContainer(inner), nil) { bytes, chain, index in
        inner.setBytes(bytes, of: chain, index)
      }
    case .helper:
      let folder = try ScratchFolder(inMemory: true)
      let far = HelperContainer(HelperPlace("thread:")!, .folder(folder.path("container")))
      return Specimen(PassingContainer(far, keeping: folder), folder) { bytes, chain, index in
        try folder.write("container/transactions/\(chain)/\(Layout.path(of: index))", bytes)
        // Sizes are those that were listed.
        far.forget()
      }
    }
  }
}

struct Specimen {
  let container: any Container
  let folder: ScratchFolder?
  /// Puts bytes where the block of that index belongs, past the container.
  let place: ([UInt8], BranchID, UInt32) throws -> Void

  init(
    _ container: any Container, _ folder: ScratchFolder?, place: @escaping ([UInt8], BranchID, UInt32) throws -> Void
  ) {
    self.container = container
    self.folder = folder
    self.place = place
  }

  static let info = ContainerInfo(
    container: UUID(high: 1, low: 2), database: UUID("00000000-0000-4003-8000-000000000004")!,
    contentType: "org.example.birds")
}

let alpha = BranchID(UUID(high: 0xAAAA, low: 1))
let beta = BranchID(UUID(high: 0xBBBB, low: 2))

extension Container {
  func write(_ range: Range<UInt32>, to chain: BranchID = alpha) throws {
    _ = try writeBlocks(of: chain, from: range.lowerBound, TestBlock.source(range))
  }

  /// What a reader gets: the indices, all of them with the right bytes, and the end.
  func read(_ chain: BranchID = alpha, from index: UInt32 = 0) throws -> (indices: Range<UInt32>, end: ReadEnd) {
    var next = index
    let end = try readBlocks(of: chain, from: index) { found, bytes in
      guard found == next, TestBlock.make(found).withUnsafeBytes({ sameBytes($0, bytes) }) else {
        throw WrongBlock(index: found)
      }
      next += 1
      return true
    }
    return (index..<next, end)
  }
}

struct WrongBlock: Error { let index: UInt32 }
struct Interruption: Error {}

func once(_ block: [UInt8]) -> () -> [UInt8]? {
  var left: [UInt8]? = block
  return {
    defer { left = nil }
    return left
  }
}
