import SeaCore

package struct BundleManifest: Equatable, Sendable {
  package static let version = ContainerInfo.version
  package static let mostMembers: Int64 = 10_000_000
  package static let largest: Int64 = 2 << 30
  /// The maximum number of bytes before the list of members.
  package static let largestHead = 16 << 20

  package var database: UUID
  package var contentType: String
  /// The proof of the databaseID; nil if the ID is a version 4 UUID.
  package var proof: DatabaseProof?
  package var from: UUID
  /// The name of the instance that wrote the bundle; nil in an encrypted database.
  package var name: String?
  /// The number of asset files that exported blocks refer to but the writer did not have.
  package var absentAssets: Int64
  /// The blocks that a receiver must already have, sorted by chain.
  package var base: [BundleHead]
  package var heads: [BundleHead]
  /// The total number of blocks in the list (1000 per pack file). `BundleWriter` computes this total and the next
  /// three, which count asset files, members, and the bytes of all members.
  package var blocks: Int64 = 0
  package var assets: Int64 = 0
  package var members: Int64 = 0
  package var bytes: Int64 = 0

  package init(
    database: UUID, contentType: String, proof: DatabaseProof?, from: UUID, name: String?, absentAssets: Int64,
    base: [BundleHead], heads: [BundleHead]
  ) {
    self.database = database
    self.contentType = contentType
    self.proof = proof
    self.from = from
    self.name = name
    self.absentAssets = absentAssets
    self.base = base
    self.heads = heads
  }

  /// Returns the containerID that is in the `info.json` of every bundle of a database. Thus, several bundles unpacked
  /// into the same folder form one container.
  package static func container(of database: UUID) -> UUID {
    var hash = SHA256()
    hash.update("sea bundle v1")
    database.withBytes { hash.update($0) }
    return UUID(version: 8, from: hash.digest())
  }

  package var isSealed: Bool { proof?.isSealed ?? false }

  package var info: ContainerInfo {
    ContainerInfo(
      container: BundleManifest.container(of: database), database: database, contentType: contentType, proof: proof)
  }

  package var infoMember: BundleMember {
    let text = Array(info.text.utf8)
    return BundleMember(path: .info, size: Int64(text.count), sha256: SHA256.hash(text))
  }

  mutating func count(_ member: BundleMember) {
    members += 1
    bytes += member.size
    if let (_, first, last) = member.path.blocks { blocks += Int64(last - first) + 1 }
    if case .asset = member.path { assets += 1 }
  }
}

// The canonical text of a manifest. It consists of lines, so that it can be streamed.
extension BundleManifest {
  static let listStart = "\"list\":["
  static let listEnd = "]}"

  /// The text before the members' lines, including the line that begins the list.
  var headText: String {
    var text = "{\"sea\":\(BundleManifest.version),\"databaseID\":\"\(database)\","
    text += "\"contentType\":\(FlatJSON.quoted(contentType)),\"sealed\":\(isSealed),\n"
    if let proof { text += "\"proof\":\"\(Hex.text(proof.bytes))\",\n" }
    text += "\"from\":\"\(from)\","
    if let name { text += "\"name\":\(FlatJSON.quoted(name))," }
    text += "\"absentAssets\":\(absentAssets),\n"
    text += "\"base\":\(BundleManifest.text(of: base)),\n"
    text += "\"heads\":\(BundleManifest.text(of: heads)),\n"
    text += "\"blocks\":\(blocks),\"assets\":\(assets),\"members\":\(members),\"bytes\":\(bytes),\n"
    return text + BundleManifest.listStart + "\n"
  }

  private static func text(of heads: [BundleHead]) -> String {
    let texts = heads.map { head in
      var text = "{\"chain\":\"\(head.block.branch)\",\"index\":\(head.block.index),\"digest\":\"\(head.block.digest)\""
      if let lamport = head.lamport { text += ",\"lamport\":\(lamport)" }
      if let key = head.key { text += ",\"key\":\"\(Hex.text(key))\"" }
      return text + "}"
    }
    return "[\(texts.joined(separator: ","))]"
  }

  static func line(of member: BundleMember) -> String {
    "{\"path\":\"\(member.path.text)\",\"size\":\(member.size),\"sha256\":\"\(member.sha256)\"}"
  }

  /// Parses the part of the manifest before the members' lines.
  /// - Throws: `incompatible`, or `badManifest` with the line number if known.
  init(head bytes: [UInt8]) throws(BundleError) {
    var line = 1
    let parsed = try bytes.withUnsafeBytes { bytes in
      Result { () throws(BundleError) in try BundleManifest.parse(bytes, &line) }
    }.get()
    guard let parsed else { throw .badManifest(line: line) }
    // Comparing with the canonical text rejects all variants, such as other escapes, another order, or omissions.
    let text = Array(parsed.headText.utf8)
    guard text == bytes else {
      let same = zip(text, bytes).prefix { $0 == $1 }
      throw .badManifest(line: 1 + same.count { $0.0 == 0x0A })
    }
    self = parsed
  }

  private static func parse(_ bytes: UnsafeRawBufferPointer, _ line: inout Int) throws(BundleError) -> BundleManifest? {
    var cursor = ManifestCursor(bytes: bytes)
    defer { line = cursor.line }
    do throws(ManifestCursor.Fault) {
      try cursor.expect("{\"sea\":")
      let version = try cursor.number()
      guard version == BundleManifest.version else { throw .incompatible(version) }
      try cursor.expect(",\"databaseID\":\"")
      let database = try cursor.identifier()
      try cursor.expect(",\"contentType\":")
      let contentType = try cursor.text()
      try cursor.expect(",\"sealed\":")
      let isSealed = cursor.accept("true")
      if !isSealed { try cursor.expect("false") }
      var proof: DatabaseProof?
      if cursor.accept(",\n\"proof\":") {
        proof = Hex.bytes(try cursor.text()).flatMap { DatabaseProof($0) }
        guard proof != nil else { return nil }
      }
      guard DatabaseProof.holds(proof, for: database), proof?.isSealed ?? false == isSealed,
        proof?.has(contentType: contentType) ?? true
      else { return nil }
      try cursor.expect(",\n\"from\":\"")
      let from = try cursor.identifier()
      var name: String?
      if cursor.accept(",\"name\":") { name = try cursor.text() }
      try cursor.expect(",\"absentAssets\":")
      let absent = try cursor.number()
      try cursor.expect(",\n\"base\":")
      let base = try cursor.heads()
      try cursor.expect(",\n\"heads\":")
      let heads = try cursor.heads()
      var manifest = BundleManifest(
        database: database, contentType: contentType, proof: proof, from: from, name: name,
        absentAssets: absent, base: base, heads: heads)
      try cursor.expect(",\n\"blocks\":")
      manifest.blocks = try cursor.number()
      try cursor.expect(",\"assets\":")
      manifest.assets = try cursor.number()
      try cursor.expect(",\"members\":")
      manifest.members = try cursor.number()
      try cursor.expect(",\"bytes\":")
      manifest.bytes = try cursor.number()
      try cursor.expect(",\n" + listStart + "\n")
      guard cursor.isAtEnd, !isSealed || name == nil else { return nil }
      return manifest
    } catch {
      if case .incompatible(let version) = error { throw .incompatible(version) }
      return nil
    }
  }
}

struct ManifestCursor {
  enum Fault: Error {
    case form
    case incompatible(Int64)
  }

  let bytes: UnsafeRawBufferPointer
  private var position = 0
  private(set) var line = 1

  init(bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func accept(_ text: String) -> Bool {
    var text = text
    let count = text.utf8.count
    guard bytes.count - position >= count else { return false }
    let there = UnsafeRawBufferPointer(rebasing: bytes[position..<position + count])
    guard text.withUTF8({ there.elementsEqual($0) }) else { return false }
    position += count
    line += there.count { $0 == 0x0A }
    return true
  }

  mutating func expect(_ text: String) throws(Fault) { guard accept(text) else { throw .form } }

  /// Parses a number from 0 to 2^63-1 without leading zeros.
  mutating func number() throws(Fault) -> Int64 {
    let start = position
    var value: Int64 = 0
    while position < bytes.count, case let digit = bytes[position], (0x30...0x39).contains(digit) {
      let (tens, over) = value.multipliedReportingOverflow(by: 10)
      let (sum, more) = tens.addingReportingOverflow(Int64(digit - 0x30))
      guard !over, !more else { throw .form }
      value = sum
      position += 1
    }
    guard position > start, position == start + 1 || bytes[start] != 0x30 else { throw .form }
    return value
  }

  mutating func number32() throws(Fault) -> UInt32 {
    guard let value = UInt32(exactly: try number()) else { throw .form }
    return value
  }

  /// Parses the rest of a string, after its opening quote. The string must be printable ASCII without quotes or
  /// escapes.
  mutating func plainText() throws(Fault) -> String {
    let start = position
    while position < bytes.count, case let byte = bytes[position], byte != 0x22 {
      guard byte >= 0x20, byte < 0x7F, byte != 0x5C else { throw .form }
      position += 1
    }
    guard position < bytes.count else { throw .form }
    position += 1
    return String(decoding: bytes[start..<position - 1], as: UTF8.self)
  }

  mutating func identifier() throws(Fault) -> UUID {
    guard let id = UUID(try plainText()) else { throw .form }
    return id
  }

  /// Parses a string that can contain the escapes of the canonical form. The caller detects unnecessary escapes by
  /// encoding the string again.
  mutating func text() throws(Fault) -> String {
    try expect("\"")
    var result: [UInt8] = []
    while position < bytes.count {
      let byte = bytes[position]
      position += 1
      switch byte {
      case 0x22:
        guard let text = String(validating: result, as: UTF8.self) else { throw .form }
        return text
      case 0x5C: result.append(try escaped())
      case 0..<0x20: throw .form
      default: result.append(byte)
      }
    }
    throw .form
  }

  private mutating func escaped() throws(Fault) -> UInt8 {
    if accept("\"") { return 0x22 }
    if accept("\\") { return 0x5C }
    try expect("u00")
    guard position + 2 <= bytes.count, let high = Hex.value(bytes[position]),
      let low = Hex.value(bytes[position + 1]), high < 2
    else { throw .form }
    position += 2
    return high << 4 | low
  }

  /// Parses an array of heads. The branches must be sorted, without duplicates.
  mutating func heads() throws(Fault) -> [BundleHead] {
    try expect("[")
    if accept("]") { return [] }
    var heads: [BundleHead] = []
    repeat {
      try expect("{\"chain\":\"")
      guard let branch = BranchID(try plainText()) else { throw .form }
      if let last = heads.last { guard last.block.branch < branch else { throw .form } }
      try expect(",\"index\":")
      let index = try number32()
      try expect(",\"digest\":\"")
      guard let digest = Digest(hex: try plainText()) else { throw .form }
      var head = BundleHead(BlockRef(branch, index: index, digest: digest))
      if accept(",\"lamport\":") { head.lamport = try number32() }
      if accept(",\"key\":\"") {
        guard let key = Hex.bytes(try plainText()), key.count == 32 else { throw .form }
        head.key = key
      }
      try expect("}")
      heads.append(head)
    } while accept(",")
    try expect("]")
    return heads
  }
}
