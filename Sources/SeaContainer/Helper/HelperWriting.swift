import SeaCore
import SeaSystem

/// Blocks of a chain on their way to a helper: a whole leaf as one folded file, others as files of their own.
struct HelperWriting {
  /// A leaf with more bytes is not held together.
  private static let mostBytes = 32 << 20
  /// So many files may be under way.
  private static let most = 256

  private let container: HelperContainer
  private let chain: BranchID
  private var next: UInt32
  private var pending: [[UInt8]] = []
  private var total = 0
  private(set) var count = 0

  init(_ container: HelperContainer, _ chain: BranchID, from index: UInt32) {
    (self.container, self.chain, next) = (container, chain, index)
  }

  /// The index of the first block that waits.
  private var first: UInt32 { next - UInt32(pending.count) }

  mutating func add(_ block: [UInt8]) throws {
    try checkBlock(block, of: chain, index: next)
    if next % Layout.leafSize == 0 || total > HelperWriting.mostBytes { try write() }
    pending.append(block)
    total += block.count
    next += 1
    count += 1
  }

  mutating func finish() throws {
    try write()
    if count > 0 { try container.flush() }
  }

  private mutating func write() throws {
    guard !pending.isEmpty else { return }
    defer { (pending, total) = ([], 0) }
    let leaf = Layout.Leaf(containing: first)
    if pending.count == Layout.leafSize, try isFree(leaf) {
      if try container.put(.folded(chain, leaf.first), pending.flatMap(\.self)) { return }
      container.forget()
    } else if first > leaf.first, next - 1 == leaf.last, try isEnd(of: leaf),
      try container.fold(leaf, of: chain, with: pending)
    {
      return
    }
    var at = 0
    while at < pending.count {
      at = try compare(at)
      at = try putRun(at)
    }
    if next - 1 == leaf.last { _ = try container.fold(leaf, of: chain) }
  }

  /// Whether the files of a leaf that are there are those before the blocks that wait.
  private func isEnd(of leaf: Layout.Leaf) throws -> Bool {
    guard let there = try container.names().chains[chain], there.folded[leaf.first] == nil else { return false }
    return !(first...leaf.last).contains { there.singles[$0] != nil }
  }

  private func isFree(_ leaf: Layout.Leaf) throws -> Bool {
    guard let there = try container.names().chains[chain] else { return true }
    return there.folded[leaf.first] == nil && !(leaf.first...leaf.last).contains { there.singles[$0] != nil }
  }

  /// Holds what is there from a waiting block on against what was to be written.
  /// - Returns: the first that is not there.
  private func compare(_ start: Int) throws -> Int {
    var at = start
    let base = first
    while at < pending.count, try container.has(chain, base + UInt32(at)) {
      let before = at
      var other: UInt32?
      let end = try container.readBlocks(of: chain, from: base + UInt32(at)) { index, bytes in
        guard at < pending.count, index == base + UInt32(at) else { return false }
        guard pending[at].withUnsafeBytes({ sameBytes($0, bytes) }) else {
          other = index
          return false
        }
        at += 1
        return at < pending.count
      }
      if let other { throw ContainerError.differs(chain, index: other, incomplete: false) }
      let here = base + UInt32(at)
      if at < pending.count {
        switch end {
        case .incomplete(here, _, _): throw ContainerError.differs(chain, index: here, incomplete: true)
        case .damaged(here, _): throw ContainerError.differs(chain, index: here, incomplete: false)
        default: break
        }
        if at == before {
          // It was taken away; or nothing can be read of what has its name.
          container.forget()
          if try container.has(chain, here) {
            throw ContainerError.inTheWay(path: container.path(of: HelperNames.Meaning.block(chain, here).path))
          }
        }
      }
    }
    return at
  }

  /// Writes files from a waiting block on, up to one that is there.
  private func putRun(_ start: Int) throws -> Int {
    var at = start
    while at < pending.count {
      let line = try container.line()
      var sent: [(place: HelperNames.Meaning, ticket: HelperTicket)] = []
      while at < pending.count, sent.count < HelperWriting.most, try !container.has(chain, first + UInt32(at)) {
        let place = HelperNames.Meaning.block(chain, first + UInt32(at))
        let request = Wire.Request.put(place.path, size: Int64(pending[at].count))
        sent.append((place, pending[at].withUnsafeBytes { line.ask(request, $0) }))
        at += 1
      }
      if sent.isEmpty { return at }
      for (offset, one) in sent.enumerated() {
        do throws(HelperFault) { try line.finish(one.ticket) } catch {
          switch error {
          case .refused(.exists, _): break
          case .refused(.busy, _):
            _ = try container.put(one.place, pending[at - sent.count + offset])
          default: throw ContainerError.helper(error, place: container.location)
          }
        }
        container.note(one.place, .init(size: Int64(pending[at - sent.count + offset].count), time: 0))
        if case .failure(.refused(.exists, _)) = one.ticket.outcome { _ = try compareOne(at - sent.count + offset) }
      }
    }
    return at
  }

  /// Another writer was faster: then it has written the same.
  private func compareOne(_ at: Int) throws {
    let index = first + UInt32(at)
    var isSame = false
    let end = try container.reading(of: chain).run(from: index) { _, bytes in
      isSame = pending[at].withUnsafeBytes { sameBytes($0, bytes) }
      return false
    }
    if isSame { return }
    var isShort = false
    if case .incomplete = end { isShort = true }
    throw ContainerError.differs(chain, index: index, incomplete: isShort)
  }
}
