import SeaCore
import SeaStore

/// Maps hashes of a property's values to record numbers. The index also contains earlier values, so callers must check
/// each record that it returns.
struct MatchIndex {
  struct Property: Hashable {
    private let type: [UInt8]
    private let path: [UInt8]

    init(_ match: RecordText.Match) {
      type = Array(match.type.utf8)
      path = Array(match.path.pointer.utf8)
    }
  }

  private struct Several {
    private(set) var list: [Int64]
    private var known: Set<Int64> = []
    private static let few = 16

    init(_ list: [Int64]) { self.list = list }

    mutating func add(_ number: Int64) {
      if list.count == Several.few { known = Set(list) }
      guard list.count < Several.few ? !list.contains(number) : known.insert(number).inserted else { return }
      list.append(number)
    }

    mutating func remove(_ gone: Set<Int64>) { self = Several(list.filter { !gone.contains($0) }, many: true) }

    private init(_ list: [Int64], many: Bool) {
      self.list = list
      if list.count > Several.few { known = Set(list) }
    }
  }

  private let type: String
  private let path: PropertyPath
  private var only: [Int: Int64] = [:]
  private var several: [Int: Several] = [:]

  init(_ match: RecordText.Match) { (type, path) = (match.type, match.path) }

  mutating func add(type: String?, body: [UInt8], number: Int64) throws {
    guard let type, UTF8Text.equal(type, self.type) else { return }
    for hash in try body.withUnsafeBufferPointer({ try hashes(of: $0) }) {
      if several[hash]?.add(number) != nil { continue }
      if let other = only[hash] {
        guard other != number else { continue }
        only[hash] = nil
        several[hash] = Several([other, number])
      } else {
        only[hash] = number
      }
    }
  }

  func candidates(_ match: RecordText.Match) -> [Int64] {
    let lists = MatchIndex.hashes(match).map { hash in only[hash].map { [$0] } ?? several[hash]?.list ?? [] }
    let found = lists.filter { !$0.isEmpty }
    if found.count < 2 { return found.first ?? [] }
    var seen: Set<Int64> = []
    return found.joined().filter { seen.insert($0).inserted }
  }

  mutating func remove(_ gone: Set<Int64>, _ match: RecordText.Match) {
    for hash in MatchIndex.hashes(match) {
      if let number = only[hash], gone.contains(number) { only[hash] = nil }
      several[hash]?.remove(gone)
    }
  }

  // MARK: - Hashes of equal values

  private enum Kind: UInt8 { case text, number, date }

  private static func hash(_ kind: Kind, _ bytes: [UInt8]) -> Int {
    var hasher = Hasher()
    hasher.combine(kind.rawValue)
    hasher.combine(bytes)
    return hasher.finalize()
  }

  private static func hash(_ time: Int64) -> Int { hash(.date, withUnsafeBytes(of: time) { Array($0) }) }

  private func hashes(of body: UnsafeBufferPointer<UInt8>) throws -> [Int] {
    guard let range = try path.find(in: body) else { return [] }
    let found = UnsafeBufferPointer(rebasing: body[range])
    var writer = ByteWriter()
    try JSONWriter.writePlain(value: found, into: &writer)
    let value = try Value.decode(value: found).unlabeled
    let text = MatchIndex.hash(.text, writer.array())
    if case .date(let time) = value { return [text, MatchIndex.hash(time)] }
    return try [text] + (SortKey.number(value).map { [MatchIndex.hash(.number, $0)] } ?? [])
  }

  private static func hashes(_ match: RecordText.Match) -> [Int] {
    let number = match.number.flatMap { try? SortKey.number($0) }
    return [hash(.text, Array(match.value.utf8))] + (number.map { [hash(.number, $0)] } ?? [])
      + (match.date.map { [hash($0)] } ?? [])
  }
}
