import SeaCore
import SeaStore

/// The remembered state of a container, stored as one value. The progress of branches (`seen`) and the quarantine are
/// stored separately. If the state is lost, the next sync reads everything again.
package struct ContainerState: Equatable {
  package var id: UUID?
  /// When the last sync ended, in milliseconds since 1970; 0 if the container has never been synced.
  package var lastSync: Int64 = 0
  /// How long the last sync took, in milliseconds; nil if it is unknown.
  package var took: Int64?
  /// The condition of the container after the last sync, as a raw value of `ContainerCondition`.
  var condition = ""
  var blocks = Blocks()
  var hints = Hints()
  var given: GivenAssets?
  var assets = ReadContents<Int64>()
  var slots: Set<Digest> = []
  var purge = Purge()
  /// The waits for a cloud client's placeholders, by kind and name. Waits for blocks are stored in `blocks`.
  var placeholders: [String: [String: Wait]] = [:]
  var left: Left?

  /// The progress in reading the content of files. After the last file, reading starts over.
  struct ReadContents<Place: Equatable>: Equatable {
    /// The latest modification time of all files, by the clock of the container.
    var stamp: Int64 = 0
    /// When the last round began, by the clock of this device; 0 if every sync reads content.
    var turned: Int64 = 0
    var cursor: Place?
    var total: Int64 = 0
  }

  struct Blocks: Equatable {
    var contents = ReadContents<BlockPosition>()
    /// The files modified at exactly `stamp` that have been read. Used only for containers that have their own clock.
    var latest: Set<BlockPosition> = []
    var waits: [BranchID: [BlockWait]] = [:]
    var packs: [BranchID: [UInt32: Int64]] = [:]
    /// The marks of stray files that have been read and contain nothing new.
    var strays: Set<UInt64> = []
  }

  /// A range of adjacent blocks that were first found missing in the same sync, so that their waits end together.
  struct BlockWait: Equatable {
    var range: ClosedRange<UInt32> = 0...0
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Wait: Equatable {
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Hints: Equatable {
    /// When the last complete check without problems took place; 0 if there was none.
    var lastCheck: Int64 = 0
    /// A digest of the local data that the container might have lacked at the last complete check.
    var sentDigest = Digest.zero
    var files: [UUID: Hint] = [:]
    var written: Int64 = 0
    var heads: [BlockRef] = []
  }

  /// A summary file as it was before the last complete check.
  struct Hint: Equatable {
    var size: Int64 = 0
    /// The modification time by the clock of the container; 0 if unknown.
    var changed: Int64 = 0
    /// When this version was first seen, by the clock of this device.
    var since: Int64 = 0
    /// Whether any change after the last complete check is sure to show a different modification time.
    var isSettled = false
    var digest: Digest?
  }

  /// The last asset file up to which the container has received all files that a rule allows. Files are ordered by
  /// arrival at this instance.
  struct GivenAssets: Equatable {
    var sequence: Int64
    var rule: String
  }

  struct Purge: Equatable {
    /// Identifies the set of purged blocks that have been removed from the container completely; 0 if any copies are
    /// left.
    var done: UInt64 = 0
    /// The marks of files at purged locations that have been found to have other content.
    var known: Set<UInt64> = []
  }

  struct Left: Equatable {
    /// Whether some of the container's content is unknown, because it was not read completely.
    var isUnseen = false
    var tails: [UUID: UInt32] = [:]
  }
}

struct BlockPosition: Hashable, Comparable, CustomStringConvertible {
  var branch: BranchID
  var index: UInt32

  var description: String { "\(branch) \(index)" }

  static func < (x: BlockPosition, y: BlockPosition) -> Bool { (x.branch, x.index) < (y.branch, y.index) }
}

// The text form has one fact per line, so that people can read it.

extension ContainerState {
  private static let title = "container 1"
  private static let end = "end"

  package var text: String {
    var lines = [Self.title, "sync \(lastSync) \(condition)", "assets \(assets.words)"]
    if let took { lines.append("took \(took)") }
    if let id { lines.append("id \(id)") }
    lines += ["blocks \(blocks.contents.words)", "hints \(hints.lastCheck) \(hints.sentDigest) \(hints.written)"]
    lines += blocks.latest.sorted().map { "latest \($0)" }
    for (branch, waits) in blocks.waits.sorted(by: { $0.key < $1.key }) {
      lines += waits.map { "wait \(branch) \($0.range.lowerBound) \($0.range.upperBound) \($0.since) \($0.syncs)" }
    }
    for (branch, sizes) in blocks.packs.sorted(by: { $0.key < $1.key }) {
      lines += sizes.sorted { $0.key < $1.key }.map { "pack \(branch) \($0.key) \($0.value)" }
    }
    lines += blocks.strays.sorted().map { "stray \($0)" }
    for (name, hint) in hints.files.sorted(by: { $0.key < $1.key }) {
      let digest = hint.digest.map { " \($0)" } ?? ""
      lines.append("hint \(name) \(hint.size) \(hint.changed) \(hint.since) \(hint.isSettled)\(digest)")
    }
    lines += hints.heads.map { "head \($0.branch) \($0.index) \($0.digest)" }
    if let given { lines.append("given \(given.sequence) \(given.rule)") }
    lines += slots.sorted().map { "slot \($0)" }
    lines.append("purge \(purge.done)")
    lines += purge.known.sorted().map { "purged \($0)" }
    for (kind, names) in placeholders.sorted(by: { $0.key < $1.key }) {
      lines += names.sorted { $0.key < $1.key }.map { "promise \(kind) \($0.key) \($0.value.since) \($0.value.syncs)" }
    }
    if let left { lines.append("left \(left.isUnseen)") }
    lines += left?.tails.sorted { $0.key < $1.key }.map { "tail \($0.key) \($0.value)" } ?? []
    return (lines + [Self.end]).joined(separator: "\n")
  }

  /// - Returns: nil if this version of the program did not write the text.
  package init?(_ text: String) {
    self.init()
    // Splitting bytes is ten times as fast as splitting characters.
    var lines = text.utf8.split(separator: UInt8(ascii: "\n")).map { Substring($0) }
    guard lines.count > 1, lines.removeFirst() == Self.title, lines.removeLast() == Self.end else { return nil }
    for line in lines {
      var words = Words(line)
      do { try read(&words) } catch { return nil }
      guard words.isAtEnd else { return nil }
    }
  }

  private mutating func read(_ words: inout Words) throws {
    switch try words.text() {
    case "id": id = try words.next { UUID($0) }
    case "sync": (lastSync, condition) = try (words.number(), words.remaining())
    case "took": took = try words.number()
    case "blocks": blocks.contents = try ReadContents(&words) { try $0.position() }
    case "assets": assets = try ReadContents(&words) { try $0.number() }
    case "latest": try blocks.latest.insert(words.position())
    case "wait":
      let (branch, first, last): (BranchID, UInt32, UInt32) = try (words.branch(), words.number(), words.number())
      guard first <= last else { throw Garbage() }
      let wait = try BlockWait(range: first...last, since: words.number(), syncs: words.number())
      blocks.waits[branch, default: []].append(wait)
    case "pack": try blocks.packs[words.branch(), default: [:]][words.number()] = words.number()
    case "stray": try blocks.strays.insert(words.number())
    case "hints":
      (hints.lastCheck, hints.sentDigest, hints.written) = try (words.number(), words.digest(), words.number())
    case "hint":
      let name = try words.next { UUID($0) }
      hints.files[name] = try Hint(
        size: words.number(), changed: words.number(), since: words.number(),
        isSettled: words.next { Bool(String($0)) },
        digest: words.isAtEnd ? nil : words.digest())
    case "head":
      try hints.heads.append(BlockRef(words.branch(), index: words.number(), digest: words.digest()))
    case "given": given = try GivenAssets(sequence: words.number(), rule: words.remaining())
    case "slot": try slots.insert(words.digest())
    case "purge": purge.done = try words.number()
    case "purged": try purge.known.insert(words.number())
    case "promise":
      try placeholders[words.text(), default: [:]][words.text()] = Wait(since: words.number(), syncs: words.number())
    case "left": left = try Left(isUnseen: words.next { Bool(String($0)) })
    case "tail": try left?.tails[words.next { UUID($0) }] = words.number()
    default: throw Garbage()
    }
  }
}

extension ContainerState.ReadContents {
  fileprivate var words: String { "\(stamp) \(turned) \(total)" + (cursor.map { " \($0)" } ?? "") }

  fileprivate init(_ words: inout Words, _ place: (inout Words) throws -> Place) throws {
    (stamp, turned, total) = try (words.number(), words.number(), words.number())
    cursor = try words.isAtEnd ? nil : place(&words)
  }
}

private struct Garbage: Error {}

private struct Words {
  private var line: Substring

  init(_ line: Substring) { self.line = line }

  var isAtEnd: Bool { line.isEmpty }

  mutating func next<Value>(_ make: (Substring) -> Value?) throws -> Value {
    let end = line.utf8.firstIndex(of: UInt8(ascii: " ")) ?? line.endIndex
    let word = line[..<end]
    line = end == line.endIndex ? "" : line[line.utf8.index(after: end)...]
    guard let value = make(word) else { throw Garbage() }
    return value
  }

  mutating func text() throws -> String { try next { $0.isEmpty ? nil : String($0) } }
  mutating func number<Number: FixedWidthInteger>() throws -> Number { try next { Number($0) } }
  mutating func branch() throws -> BranchID { try next { BranchID(String($0)) } }
  mutating func digest() throws -> Digest { try next { Digest(hex: $0) } }
  mutating func position() throws -> BlockPosition { try BlockPosition(branch: branch(), index: number()) }

  mutating func remaining() -> String {
    defer { line = "" }
    return String(line)
  }
}

extension SeaFolder {
  /// Returns the remembered state of a container. If the stored state is missing or unreadable, returns an empty state.
  /// The decoded state is cached until the stored text changes.
  package func state(of container: String) throws -> ContainerState {
    guard let text = try store.peers.state(of: container) else { return ContainerState() }
    if let known = decoded[container], known.text == text { return known.state }
    let state = ContainerState(text) ?? ContainerState()
    decoded[container] = (text, state)
    return state
  }

  /// Changes the remembered state of a container.
  /// - Parameter change: called once to see whether it changes anything; if so, called again in a transaction.
  func remember(of container: String, _ change: (inout ContainerState) -> Void) throws {
    func changed() throws -> ContainerState? {
      let before = try state(of: container)
      var after = before
      change(&after)
      return after == before ? nil : after
    }
    guard try changed() != nil else { return }
    try store.write {
      guard let state = try changed() else { return }
      let text = state.text
      try store.peers.setState(text, of: container)
      decoded[container] = (text, state)
    }
  }
}
