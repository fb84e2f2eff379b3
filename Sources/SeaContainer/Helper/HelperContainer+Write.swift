import SeaCore
import SeaSystem

extension HelperContainer {
  package func writeBlocks(
    of chain: BranchID, from index: UInt32, _ next: () throws -> [UInt8]?
  ) throws -> Int {
    try needContainer()
    try settle(chain)
    var writing = HelperWriting(self, chain, from: index)
    while let block = try next() { try writing.add(block) }
    try writing.finish()
    return writing.count
  }

  @discardableResult
  package func fold(_ chain: BranchID) throws(ContainerError) -> Int {
    try settle(chain)
    let leaves = Set((try names().chains[chain]?.singles ?? [:]).keys.map { Layout.Leaf(containing: $0) })
    var count = 0
    for leaf in leaves.sorted() where try fold(leaf, of: chain) { count += 1 }
    return count
  }

  /// Makes one file of the files of a leaf if all of them are there, or goes on where an earlier call was stopped. Where nothing may
  /// be deleted both stay.
  /// - Parameter last: the blocks that the leaf ends with and that are not there yet.
  func fold(_ leaf: Layout.Leaf, of chain: BranchID, with last: [[UInt8]] = []) throws(ContainerError) -> Bool {
    guard try !isAppendOnly, leaf.last < UInt32.max,
      let there = try names().chains[chain]
    else { return false }
    let singles = (leaf.first...leaf.last).filter { there.singles[$0] != nil }
    let most = Layout.largestFold
    var size = last.reduce(0) { $0 + Int64($1.count) }
    // Sizes are what somebody says.
    for index in singles { size += min(max(0, there.singles[index]?.size ?? 0), most + 1) }
    guard !singles.isEmpty, size <= most else { return false }
    if there.folded[leaf.first] == nil {
      let count = Int(Layout.leafSize) - last.count
      guard singles.count == count, there.singles[leaf.first + UInt32(count) - 1] != nil,
        let bytes = try bytes(of: leaf, chain, folded: false, count: count)
      else { return false }
      guard try put(.folded(chain, leaf.first), (bytes + last).flatMap(\.self)) else {
        forget()
        return false
      }
    } else {
      guard last.isEmpty, let bytes = try bytes(of: leaf, chain, folded: true, count: Int(Layout.leafSize)),
        try agree(singles, with: bytes, leaf, chain)
      else { return false }
    }
    // With the folded file for good.
    try flush()
    var rest = singles[...]
    do throws(ContainerError) {
      try delete([.block(chain, rest.removeFirst())])
    } catch {
      guard case .helper(.refused(.denied, _), _) = error else { throw error }
      return false
    }
    try delete(rest.map { .block(chain, $0) })
    try flush()
    return true
  }

  /// Whether files of single blocks have the bytes that a folded file has; what is gone is nobody's loss.
  private func agree(
    _ singles: [UInt32], with bytes: [[UInt8]], _ leaf: Layout.Leaf, _ chain: BranchID
  ) throws(ContainerError) -> Bool {
    let line = try line()
    for start in stride(from: 0, to: singles.count, by: HelperContainer.mostCompared) {
      let some = singles[start..<min(start + HelperContainer.mostCompared, singles.count)]
      var sent: [(want: [UInt8], ticket: HelperTicket)] = []
      for index in some {
        let want = bytes[Int(index - leaf.first)]
        let path = HelperNames.Meaning.block(chain, index).path
        sent.append((want, line.ask(.get(path, offset: 0, count: Int64(want.count) + 1))))
      }
      for one in sent where try found(one.ticket) && one.ticket.bytes != one.want { return false }
    }
    return true
  }

  /// So many files are asked for at once.
  private static let mostCompared = 64

  /// The first blocks of a leaf, if all of them are there and whole.
  private func bytes(
    of leaf: Layout.Leaf, _ chain: BranchID, folded: Bool, count: Int
  ) throws(ContainerError) -> [[UInt8]]? {
    var blocks: [[UInt8]] = []
    try read(of: chain, folded: folded, from: leaf.first) { _, bytes in
      blocks.append(Array(bytes))
      return blocks.count < count
    }
    return blocks.count == count ? blocks : nil
  }

  /// Hands over the blocks that are in a folded file, or in files of their own, as long as `body` says true.
  private func read(
    of chain: BranchID, folded: Bool, from index: UInt32, _ body: (UInt32, UnsafeRawBufferPointer) -> Bool
  ) throws(ContainerError) {
    do { _ = try reading(of: chain, folded: folded, singles: !folded).run(from: index, body) } catch let error
      as ContainerError
    {
      throw error
    } catch {}
  }

  package func delete(_ places: [FilePlace]) throws(ContainerError) {
    let line = try line()
    var sent: [HelperTicket] = []
    for place in places { sent.append(line.ask(.delete(place.path))) }
    for (place, ticket) in zip(places, sent) {
      _ = try found(ticket)
      note(place, nil)
    }
  }

  package var isAppendOnly: Bool {
    get throws(ContainerError) { try line().words.contains(FolderServer.appendOnly) }
  }
}

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
