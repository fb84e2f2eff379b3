import SeaCore
import SeaSystem

/// Takes a manifest as it comes in and holds every line against its form. What lies behind the head is put down for
/// `ManifestLines`.
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
  private(set) var promise = BundlePromise()
  let list: Spool

  init(temporary: String) { list = Spool(in: temporary) }

  mutating func take(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    hash.update(bytes)
    var rest = bytes
    while let feed = rest.firstIndex(of: 0x0A) {
      let part = UnsafeRawBufferPointer(rebasing: rest[...feed])
      rest = UnsafeRawBufferPointer(rebasing: rest[(feed + 1)...])
      if pending.isEmpty, manifest != nil {
        try takeLine(part)
      } else {
        pending.append(contentsOf: part)
        let whole = pending
        pending.removeAll(keepingCapacity: true)
        try whole.withUnsafeBytes { bytes in
          Result { () throws(BundleError) in try takeLine(bytes) }
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

  /// A line with its line feed.
  private mutating func takeLine(_ bytes: UnsafeRawBufferPointer) throws(BundleError) {
    defer { line += 1 }
    guard let manifest else {
      head.append(contentsOf: bytes)
      // A line that is not as it should be is told at once, not after 16 MiB.
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
      promise = BundlePromise(manifest.heads)
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
      // The first is info.json, which says what the manifest says.
      guard member == manifest.infoMember else { throw .badManifest(line: line) }
    }
    guard member.size <= Int64(Layout.largestFile) else { throw .tooLarge(.member(member.path.text)) }
    counted?.count(member)
    guard let counted, counted.bytes <= manifest.bytes else { throw .badManifest(line: line) }
    promise.add(member)
    last = member.path
    try bundleSystem { () throws(SystemError) in try list.append(bytes) }
  }

  /// The digest, once all has been taken.
  func finish() throws(BundleError) -> (BundleManifest, Digest) {
    guard let manifest, isComplete, pending.isEmpty else { throw .badManifest(line: line) }
    return (manifest, hash.digest())
  }
}

/// The members that a manifest names, one after another.
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
