import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

package struct InspectedChain: Sendable {
  package var branch: BranchID
  /// The name in the branch's first block, or the name that this database knows; may be empty.
  package var name = ""
  package var first: UInt32
  package var last: UInt32
  package var bytes: Int64
  /// The times of the first and the last block; nil if unreadable.
  package var began: Int64?
  package var ended: Int64?
  /// The number of blocks that exist between the first and the last, inclusive; nil if none is missing.
  package var present: Int?

  package var count: Int { present ?? span }
  package var missing: Int { span - count }
  private var span: Int { Int(last) - Int(first) + 1 }
}

/// A description of the database by the place itself, which is not verified.
package struct PlaceFacts: Sendable {
  package var database: UUID
  package var contentType: String
  package var isSealed: Bool
  package var hasMembers: Bool
  package var container: UUID?

  init(_ info: ContainerInfo, isContainer: Bool = false) {
    (database, contentType, isSealed) = (info.database, info.contentType, info.sealed)
    hasMembers = info.proof?.hasMembers ?? false
    container = isContainer ? info.container : nil
  }
}

/// A place with blocks: a container, a bundle, or the store of a database. Inspection neither changes nor verifies
/// anything; use `Verification` to verify.
package protocol InspectedPlace: AnyObject {
  var facts: PlaceFacts { get }
  func layout(keepsFiles: Bool) throws -> PlaceLayout
  func chains() throws -> [InspectedChain]
  /// Visits the blocks of one branch or of all branches, branch by branch.
  /// - Returns: problems with unreadable blocks. Later blocks are still visited, but marked as not reached.
  func forEachBlock(
    of only: BranchID?, newest: Int?, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Problem]
  /// Visits one block. Does nothing if the block is missing or its header cannot be read.
  func readBlock(
    _ branch: BranchID, _ index: UInt32, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws
  var keys: KeyRing? { get }
}

extension InspectedChain {
  func start(newest: Int?) -> UInt32 {
    guard let newest, newest < span else { return first }
    return last - UInt32(max(1, newest) - 1)
  }
}

package final class InspectedContainer: InspectedPlace {
  package let facts: PlaceFacts
  package let keys: KeyRing?
  private let container: any Container
  private let place: ContainerPlace
  private let names: [UUID: String]
  private var known: PlaceLayout?
  private lazy var starts = Result { try findStarts() }
  private static let mostFaults = 1000

  /// - Parameter database: used for keys and names if it is the database of the container.
  package init(_ container: any Container, named name: String, _ database: Database?) throws {
    self.container = container
    let info = try container.info()
    facts = PlaceFacts(info, isContainer: true)
    place = ContainerPlace(container, named: name)
    let own = database.flatMap { $0.databaseID == info.database ? $0 : nil }
    keys = try own?.keychain.availableKeyRing()
    names = try own?.members.names() ?? [:]
  }

  package func layout(keepsFiles: Bool) throws -> PlaceLayout {
    if let known, !keepsFiles { return known }
    var layout = PlaceLayout(keepsFiles: keepsFiles)
    _ = try container.forEachFile { layout.add($0.path, $0.size, FileMeaning($0.path)) }
    layout.sort()
    known = layout
    return layout
  }

  package func chains() throws -> [InspectedChain] {
    let sums = try layout(keepsFiles: false).branches
    return try place.branches().map { run in
      var chain = InspectedChain(
        branch: run.branch, name: names[run.branch.instance] ?? "", first: run.first, last: run.last,
        bytes: sums[run.branch]?.bytes ?? 0)
      chain.present = min(chain.count, sums[run.branch]?.blocks ?? 0)
      for index in [run.first, run.last] {
        _ = try? read(run.branch, from: index) { block, _ in
          if index == run.first { chain.began = block.time }
          chain.ended = block.time
          if chain.name.isEmpty, let name = block.name { chain.name = name }
          return false
        }
      }
      return chain
    }
  }

  package func forEachBlock(
    of only: BranchID?, newest: Int?, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Problem] {
    var problems: [Problem] = []
    for run in try place.branches() where only == nil || run.branch == only {
      let chain = InspectedChain(branch: run.branch, first: run.first, last: run.last, bytes: 0)
      var start: UInt32? = chain.start(newest: newest)
      var faults = 0
      while let first = start {
        let end = try read(run.branch, from: first) { block, bytes in
          var block = block
          block.isReached = faults == 0
          try body(block, bytes)
          return true
        }
        guard let problem = Problem(end, place: place.name, branch: run.branch), let index = problem.index else {
          break
        }
        faults += 1
        if faults <= InspectedContainer.mostFaults { problems.append(problem) }
        // Continue with the next file and not with the next index, because a pack file may claim a huge number of
        // blocks.
        let starts = try starts.get()[run.branch] ?? []
        start = starts.firstBehind(index).map { starts[$0] }
      }
    }
    return problems
  }

  package func readBlock(
    _ branch: BranchID, _ index: UInt32, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    _ = try read(branch, from: index) { block, bytes in
      if block.ref.index == index { try body(block, bytes) }
      return false
    }
  }

  private func findStarts() throws -> [BranchID: [UInt32]] {
    var found: [BranchID: [UInt32]] = [:]
    _ = try container.forEachFile { file in
      let meaning = FileMeaning(file.path)
      if let branch = meaning.branch, let first = meaning.blocks?.lowerBound {
        found[branch, default: []].append(first)
      }
    }
    return found.mapValues { $0.sorted() }
  }

  private func read(
    _ branch: BranchID, from first: UInt32, _ body: (InspectedBlock, UnsafeRawBufferPointer) throws -> Bool
  ) throws -> ReadEnd {
    try container.readBlocks(of: branch, from: first) { _, bytes in
      try body(InspectedBlock(bytes, in: branch, keys: keys), bytes)
    }
  }
}

extension [UInt32] {
  fileprivate func firstBehind(_ index: UInt32) -> Int? {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if self[middle] > index { high = middle } else { low = middle + 1 }
    }
    return low < count ? low : nil
  }
}

package final class InspectedStore: InspectedPlace {
  package let facts: PlaceFacts
  private let database: Database
  package let keys: KeyRing?

  package init(_ database: Database) throws {
    self.database = database
    keys = try database.keychain.availableKeyRing()
    facts = PlaceFacts(
      ContainerInfo(
        container: database.databaseID, database: database.databaseID, contentType: try database.contentType(),
        proof: database.folder.proof))
  }

  package func layout(keepsFiles: Bool) throws -> PlaceLayout {
    var layout = PlaceLayout(keepsFiles: keepsFiles)
    _ = try DirectoryContainer(database.path).forEachFile {
      layout.add($0.path, $0.size, FileMeaning(inDatabase: $0.path))
    }
    layout.sort()
    return layout
  }

  package func chains() throws -> [InspectedChain] {
    let names = try database.members.names()
    let store = database.store
    return try store.branches.branches().map { row in
      let range = row.first...max(row.first, row.head.index)
      return InspectedChain(
        branch: row.id, name: names[row.instance] ?? "", first: row.first, last: row.head.index,
        bytes: try store.blocks.sums(of: row.id, range).bytes, began: try store.blocks.block(row.id, row.first)?.time,
        ended: row.time)
    }
  }

  package func forEachBlock(
    of only: BranchID?, newest: Int?, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws -> [Problem] {
    var problems: [Problem] = []
    for row in try database.store.branches.branches() where only == nil || row.id == only {
      let chain = InspectedChain(branch: row.id, first: row.first, last: row.head.index, bytes: 0)
      var next = chain.start(newest: newest)
      do {
        try database.store.blocks.forEachBlock(of: row.id, from: next) { block, bytes in
          next = block.index
          try bytes.withUnsafeBytes { try body(InspectedBlock($0, in: row.id, keys: keys), $0) }
          return true
        }
      } catch StoreError.damaged {
        problems.append(Problem(.badData, place: "", branch: row.id, index: next))
      }
    }
    return problems
  }

  package func readBlock(
    _ branch: BranchID, _ index: UInt32, _ body: @escaping (InspectedBlock, UnsafeRawBufferPointer) throws -> Void
  ) throws {
    try database.store.blocks.forEachBlock(of: branch, from: index) { _, bytes in
      try bytes.withUnsafeBytes { try body(InspectedBlock($0, in: branch, keys: keys), $0) }
      return false
    }
  }
}
