import SeaCore

// The one text of a manifest. It has lines, so that it is written and read without being held.
extension BundleManifest {
  static let listStart = "\"list\":["
  static let listEnd = "]}"

  /// Everything before the members' lines, the line that begins the list included.
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

  /// The line of a member, without what separates it from the next.
  static func line(of member: BundleMember) -> String {
    "{\"path\":\"\(member.path.text)\",\"size\":\(member.size),\"sha256\":\"\(member.sha256)\"}"
  }

  /// Reads what stands before the members' lines.
  /// - Throws: `incompatible`, and `badManifest` with the line as far as it is known.
  init(head bytes: [UInt8]) throws(BundleError) {
    var line = 1
    let parsed = try bytes.withUnsafeBytes { bytes in
      Result { () throws(BundleError) in try BundleManifest.parse(bytes, &line) }
    }.get()
    guard let parsed else { throw .badManifest(line: line) }
    // Whatever may be written in more than one way is refused here: escapes, order, what is left out.
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
      let isSealed = cursor.take("true")
      if !isSealed { try cursor.expect("false") }
      var proof: DatabaseProof?
      if cursor.take(",\n\"proof\":") {
        proof = Hex.bytes(try cursor.text()).flatMap { DatabaseProof($0) }
        guard proof != nil else { return nil }
      }
      guard DatabaseProof.holds(proof, for: database), proof?.isSealed ?? false == isSealed else { return nil }
      try cursor.expect(",\n\"from\":\"")
      let from = try cursor.identifier()
      var name: String?
      if cursor.take(",\"name\":") { name = try cursor.text() }
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
