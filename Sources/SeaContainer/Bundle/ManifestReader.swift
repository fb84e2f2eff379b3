import SeaCore
import SeaSystem

/// Parses a manifest from a stream, checking the form of every line. The members' lines are stored for `ManifestLines`.
struct ManifestReader {
  private static let longestLine = 512

  private var pending: [UInt8] = []
  private var head: [UInt8] = []
  private let hash = SharedHash()
  private var line = 1
  private var last: BundlePath?
  private var isComplete = false
  private var counted: BundleManifest?
  private var lines = MemberLines()
  private(set) var manifest: BundleManifest?
  private(set) var promise = ManifestSummary()
  let list: Spool

  init(temporary: String) { list = Spool(in: temporary) }

  mutating func consume(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    hash.update(bytes)
    var rest = bytes
    while let feed = rest.firstIndex(of: 0x0A) {
      let part = UnsafeRawBufferPointer(rebasing: rest[...feed])
      rest = UnsafeRawBufferPointer(rebasing: rest[(feed + 1)...])
      if pending.isEmpty, manifest != nil {
        try parseLine(part)
      } else {
        pending.append(contentsOf: part)
        let whole = pending
        pending.removeAll(keepingCapacity: true)
        try whole.withUnsafeBytes { bytes in
          Result { () throws(BundleError) in try parseLine(bytes) }
        }.get()
      }
    }
    pending.append(contentsOf: rest)
    if manifest != nil {
      guard pending.count <= ManifestReader.longestLine else { throw .badManifest(line: line) }
    } else {
      guard head.count + pending.count <= BundleManifest.largestHead else { throw .tooLarge(.manifestHead) }
    }
  }

  private mutating func parseLine(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    defer { line += 1 }
    guard let manifest else {
      head.append(contentsOf: bytes)
      // An invalid line is reported at once, not after 16 MiB.
      guard head.starts(with: Array("{\"sea\":".utf8)) else { throw .badManifest(line: line) }
      guard head.count <= BundleManifest.largestHead else { throw .tooLarge(.manifestHead) }
      guard bytes.elementsEqual("\(BundleManifest.listStart)\n".utf8) else {
        guard line < 7 else { throw .badManifest(line: line) }
        return
      }
      let manifest = try BundleManifest(head: head)
      guard manifest.members <= BundleManifest.mostMembers else { throw .tooLarge(.members) }
      head = []
      self.manifest = manifest
      promise = ManifestSummary(manifest.heads)
      var counted = manifest
      (counted.blocks, counted.assets, counted.members, counted.bytes) = (0, 0, 0, 0)
      self.counted = counted
      return
    }
    guard !isComplete else { throw .badManifest(line: line) }
    if bytes.count == 3, bytes.elementsEqual("\(BundleManifest.listEnd)\n".utf8) {
      guard counted == manifest, last != nil else { throw .badManifest(line: line) }
      isComplete = true
      return
    }
    let isLast = (counted?.members ?? 0) + 1 == manifest.members
    let separator = isLast ? 1 : 2
    guard bytes.count > separator, isLast || bytes[bytes.count - 2] == 0x2C,
      let member = lines.member(of: UnsafeRawBufferPointer(rebasing: bytes[..<(bytes.count - separator)]))
    else { throw .badManifest(line: line) }
    if let last {
      guard member.path.mayFollow(last) else { throw .outOfOrder(member.path.text) }
    } else {
      // The first member is info.json, which must agree with the manifest.
      guard member == manifest.infoMember else { throw .badManifest(line: line) }
    }
    guard member.size <= Int64(Layout.largestFile) else { throw .tooLarge(.member(member.path.text)) }
    counted?.count(member)
    guard let counted, counted.bytes <= manifest.bytes else { throw .badManifest(line: line) }
    promise.add(member)
    last = member.path
    try bundleSystem { () throws(SystemError) in try list.append(bytes) }
  }

  func finish() throws(BundleError) -> (BundleManifest, Digest) {
    guard let manifest, isComplete, pending.isEmpty else { throw .badManifest(line: line) }
    return (manifest, hash.digest())
  }
}

struct ManifestLines {
  private let list: Spool
  private var buffer = [UInt8](repeating: 0, count: 1 << 18)
  private var start = 0
  private var end = 0
  private var offset: Int64 = 0
  private var lines = MemberLines()

  init(_ list: Spool) { self.list = list }

  mutating func next() throws(BundleError) -> BundleMember? {
    while true {
      let found = buffer.withUnsafeBytes { bytes -> (BundleMember?, Int)? in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[start..<end])
        guard let feed = rest.firstIndex(of: 0x0A) else { return nil }
        let count = feed > 0 && rest[feed - 1] == 0x2C ? feed - 1 : feed
        return (lines.member(of: UnsafeRawBufferPointer(rebasing: rest[..<count])), feed + 1)
      }
      if let (member, count) = found {
        start += count
        return member
      }
      guard try refill() else { return nil }
    }
  }

  private mutating func refill() throws(BundleError) -> Bool {
    let kept = end - start
    let list = list
    let (from, position) = (start, offset)
    do throws(SystemError) {
      let count = try buffer.withMutableBytes { (bytes) throws(SystemError) in
        let rest = UnsafeRawBufferPointer(rebasing: bytes[from..<from + kept])
        UnsafeMutableRawBufferPointer(rebasing: bytes[..<kept]).copyMemory(from: rest)
        return try list.read(into: UnsafeMutableRawBufferPointer(rebasing: bytes[kept...]), at: position)
      }
      offset += Int64(count)
      (start, end) = (0, kept + count)
      return count > 0
    } catch { throw .system(error) }
  }
}

/// Parses the members' lines. If a line begins like the previous line, the common part is not parsed again.
struct MemberLines {
  private static let start: StaticString = "{\"path\":\""
  private static let middle: StaticString = "\",\"size\":"
  private static let end: StaticString = ",\"sha256\":\""

  /// The path prefix `transactions/CHAIN/` of the previous line, and its chain.
  private var prefix: [UInt8] = []
  private var chain: BranchID?

  /// Parses a line without its separator. Returns nil if the line is not in the canonical form.
  mutating func member(of line: UnsafeRawBufferPointer) -> BundleMember? {
    guard var rest = MemberLines.drop(MemberLines.start, from: line) else { return nil }
    guard let quote = rest.firstIndex(of: 0x22) else { return nil }
    guard let path = path(UnsafeRawBufferPointer(rebasing: rest[..<quote])) else { return nil }
    rest = UnsafeRawBufferPointer(rebasing: rest[quote...])
    guard let number = MemberLines.drop(MemberLines.middle, from: rest) else { return nil }
    let digits = number.prefix { (0x30...0x39).contains($0) }
    guard (1...18).contains(digits.count), digits.count == 1 || digits[0] != 0x30 else { return nil }
    let size = digits.reduce(0) { $0 * 10 + Int64($1 - 0x30) }
    rest = UnsafeRawBufferPointer(rebasing: number[digits.count...])
    guard let hex = MemberLines.drop(MemberLines.end, from: rest), hex.count == 66, hex[64] == 0x22, hex[65] == 0x7D,
      let digest = MemberLines.digest(hex)
    else { return nil }
    return BundleMember(path: path, size: size, sha256: digest)
  }

  private static func drop(_ text: StaticString, from bytes: UnsafeRawBufferPointer) -> UnsafeRawBufferPointer? {
    let count = text.utf8CodeUnitCount
    guard bytes.count >= count else { return nil }
    let there = UnsafeRawBufferPointer(rebasing: bytes[..<count])
    guard sameBytes(there, UnsafeRawBufferPointer(start: text.utf8Start, count: count)) else { return nil }
    return UnsafeRawBufferPointer(rebasing: bytes[count...])
  }

  private static func digest(_ hex: UnsafeRawBufferPointer) -> Digest? {
    withUnsafeTemporaryAllocation(byteCount: Digest.size, alignment: 8) { bytes in
      for k in 0..<Digest.size {
        guard let high = Hex.value(hex[2 * k]), let low = Hex.value(hex[2 * k + 1]) else { return nil }
        bytes[k] = high << 4 | low
      }
      return Digest(UnsafeRawPointer(bytes.baseAddress!))
    }
  }

  private mutating func path(_ bytes: UnsafeRawBufferPointer) -> BundlePath? {
    if let chain, bytes.count > prefix.count {
      let same = prefix.withUnsafeBytes { sameBytes($0, UnsafeRawBufferPointer(rebasing: bytes[..<prefix.count])) }
      if same, let index = MemberLines.index(UnsafeRawBufferPointer(rebasing: bytes[prefix.count...])) {
        return .block(chain, index)
      }
    }
    guard let path = BundlePath(String(decoding: bytes, as: UTF8.self)) else { return nil }
    if let chain = path.blocks?.chain {
      self.chain = chain
      prefix = Array("\(Layout.transactions)/\(chain)/".utf8)
    }
    return path
  }

  /// Like `Layout.index(ofPath:)`, but also returns nil for other kinds of paths.
  private static func index(_ bytes: UnsafeRawBufferPointer) -> UInt32? {
    guard bytes.count >= 3, (0x31...0x34).contains(bytes[0]), bytes[1] == 0x2F else { return nil }
    var value: UInt64 = 0
    var count = 0
    var digit = 0
    var length = 0
    for position in 2...bytes.count {
      let byte = position < bytes.count ? bytes[position] : 0x2F
      if byte == 0x2F {
        guard length > 0, count > 0 || bytes[0] == 0x31 || digit > 0 else { return nil }
        value = value * 1000 + UInt64(digit)
        count += 1
        (digit, length) = (0, 0)
      } else {
        // A base-1000 digit has at most three decimal digits, without leading zeros.
        guard (0x30...0x39).contains(byte), length < 3, length == 0 || digit > 0 else { return nil }
        digit = digit * 10 + Int(byte - 0x30)
        length += 1
      }
    }
    return count == Int(bytes[0] - 0x30) ? UInt32(exactly: value) : nil
  }
}
