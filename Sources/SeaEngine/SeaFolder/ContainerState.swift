import SeaCore
import SeaStore

/// What an instance remembers of one container, beside how far branches are there (`seen`) and what was quarantined: one value in one
/// row. All of it may be lost, and no data with it: the next sync looks at everything then.
package struct ContainerState: Equatable {
  /// The container that this was learned of; nil if none was opened yet.
  package var id: UUID?
  /// When the last sync ended: milliseconds since 1970, 0 for never.
  package var lastSync: Int64 = 0
  /// How the container was found to be then, as the engine names it.
  var condition = ""
  var blocks = Blocks()
  var hints = Hints()
  /// The assets that the container was given, and which contents of assets were read there.
  var given: GivenAssets?
  var assets = ReadContents<Int64>()
  /// The key slots that the container was given.
  var slots: Set<Digest> = []
  var purge = Purge()
  /// What placeholders of a cloud client stand for, beside blocks: by kind and name.
  var placeholders: [String: [String: Wait]] = [:]
  /// What a run with a limit has left there.
  var left: Left?

  /// How far the contents of files were read, in an order that repeats.
  struct ReadContents<Place: Equatable>: Equatable {
    /// The latest change of any file that was met, by the clock of the place.
    var stamp: Int64 = 0
    /// When contents had their last turn, by our clock; 0 where they have it in each sync.
    var turned: Int64 = 0
    /// The reading goes on behind this one; nil for the beginning.
    var cursor: Place?
    /// The bytes of all files that were met.
    var total: Int64 = 0
  }

  struct Blocks: Equatable {
    var contents = ReadContents<BlockPosition>()
    /// The files that changed at the time of the stamp, as far as they were read in a container elsewhere.
    var latest: Set<BlockPosition> = []
    /// What each branch lacks, in order.
    var waits: [BranchID: [BlockWait]] = [:]
    /// The sizes of packs that were found right, by the first index.
    var packs: [BranchID: [UInt32: Int64]] = [:]
    /// The marks of files without a place that were read and hold nothing new.
    var strays: Set<UInt64> = []
  }

  /// Blocks side by side that were first missed in one sync: their wait ends together.
  struct BlockWait: Equatable {
    var range: ClosedRange<UInt32> = 0...0
    /// Milliseconds since 1970.
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Wait: Equatable {
    /// Milliseconds since 1970.
    var since: Int64 = 0
    var syncs: UInt32 = 0
  }

  struct Hints: Equatable {
    /// When everything was last looked at, and all was well; 0 for never.
    var looked: Int64 = 0
    /// What was here then that the container might lack.
    var handed = Digest.zero
    var files: [UUID: Hint] = [:]
    /// The time in our own hint, and what it said.
    var written: Int64 = 0
    var heads: [BlockRef] = []
  }

  /// A hint as it was before everything was looked at.
  struct Hint: Equatable {
    var size: Int64 = 0
    /// By the clock of the place, 0 where that is not known.
    var changed: Int64 = 0
    /// When it was first met so, by our clock.
    var since: Int64 = 0
    /// Whether everything was looked at so long afterwards that what its writer has done since would show in the listing.
    var isSettled = false
    /// Of its content; nil if it was not read.
    var digest: Digest?
  }

  /// Up to which file of assets, in the order in which they came here, a container was given all that a rule allows.
  struct GivenAssets: Equatable {
    var sequence: Int64
    var rule: String
  }

  struct Purge: Equatable {
    /// The version of what was purged when nothing of it was left there; 0 if something was.
    var done: UInt64 = 0
    /// The marks of files in purged places that were read and hold something else.
    var known: Set<UInt64> = []
  }

  struct Left: Equatable {
    /// Whether the container was not looked at to its end: then nothing is known of what else it has.
    var isUnseen = false
    /// Up to where chains are there.
    var tails: [UUID: UInt32] = [:]
  }
}

/// A block by its branch and index, whatever it holds.
struct BlockPosition: Hashable, Comparable, CustomStringConvertible {
  var branch: BranchID
  var index: UInt32

  var description: String { "\(branch) \(index)" }

  static func < (x: BlockPosition, y: BlockPosition) -> Bool { (x.branch, x.index) < (y.branch, y.index) }
}

// As text: one fact a line, so that people can read it, too.

extension ContainerState {
  private static let title = "container 1"
  private static let end = "end"

  package var text: String {
    var lines = [Self.title, "sync \(lastSync) \(condition)", "assets \(assets.words)"]
    if let id { lines.append("id \(id)") }
    lines += ["blocks \(blocks.contents.words)", "hints \(hints.looked) \(hints.handed) \(hints.written)"]
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

  /// - Returns: nil for what this program has not written.
  package init?(_ text: String) {
    self.init()
    // By bytes: to find where characters end takes ten times as long.
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
    case "sync": (lastSync, condition) = try (words.number(), words.rest())
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
    case "hints": (hints.looked, hints.handed, hints.written) = try (words.number(), words.digest(), words.number())
    case "hint":
      let name = try words.next { UUID($0) }
      hints.files[name] = try Hint(
        size: words.number(), changed: words.number(), since: words.number(),
        isSettled: words.next { Bool(String($0)) },
        digest: words.isAtEnd ? nil : words.digest())
    case "head":
      try hints.heads.append(BlockRef(words.branch(), index: words.number(), digest: words.digest()))
    case "given": given = try GivenAssets(sequence: words.number(), rule: words.rest())
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

/// The words of one line, from left to right.
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

  mutating func rest() -> String {
    defer { line = "" }
    return String(line)
  }
}

extension SeaFolder {
  /// What is remembered of a container: nothing of one that is not known, or of which another program has written it. It is decoded once as
  /// long as nobody writes it.
  package func state(of container: String) throws -> ContainerState {
    guard let text = try store.peers.state(of: container) else { return ContainerState() }
    if let known = decoded[container], known.text == text { return known.state }
    let state = ContainerState(text) ?? ContainerState()
    decoded[container] = (text, state)
    return state
  }

  /// Changes what is remembered of a container, in one transaction if that changes anything.
  /// - Parameter change: made once to see whether it changes anything, and once more with what is remembered by then.
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
