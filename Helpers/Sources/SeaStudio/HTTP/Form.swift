/// The content of a form: its fields, and the files that were chosen.
package struct Form: Sendable {
  package var fields = Parameters()
  package var files: [String: Upload] = [:]

  /// The most bytes of all fields together. Files can be of any size.
  static let most = 16 << 20
  static let mostParts = 10_000

  /// Reads the form of a request. Its first field must be the token, so that nothing is stored of a form without it.
  /// - Parameter folder: where files are kept until they are used.
  static func read(_ request: Request, _ gate: Gate, folder: String) async throws -> Form {
    let type = request[header: "content-type"] ?? ""
    if type == "application/x-www-form-urlencoded" { return try await plain(request, gate) }
    guard let boundary = boundary(type) else { throw Refusal(415, "expected a form") }
    return try await parts(MultipartReader(boundary, request.body.next), gate, folder)
  }

  private static func plain(_ request: Request, _ gate: Gate) async throws -> Form {
    var bytes: [UInt8] = []
    while let piece = try await request.body.next() {
      bytes += piece
      if bytes.count > most { throw Refusal(413, "the form is larger than 16 MiB") }
    }
    guard let text = String(validating: bytes, as: UTF8.self), let fields = Parameters(text) else {
      throw Refusal(400, "the form is not valid")
    }
    try gate.check(form: fields["token"])
    var form = Form()
    form.fields = fields
    return form
  }

  private static func parts(_ reader: MultipartReader, _ gate: Gate, _ folder: String) async throws -> Form {
    var form = Form()
    var size = 0
    var count = 0
    while let part = try await reader.nextPart() {
      count += 1
      if count == 1, part.name != "token" || part.fileName != nil { try gate.check(form: nil) }
      guard count <= mostParts else { throw Refusal(413, "the form has too many fields") }
      if let file = part.fileName {
        let upload = try Upload(in: folder, name: file)
        while let piece = try await reader.nextPiece() { try upload.append(piece) }
        // A field without a chosen file is sent as an empty file without a name.
        if !file.isEmpty || upload.size > 0 { form.files[part.name] = upload }
        continue
      }
      var bytes: [UInt8] = []
      while let piece = try await reader.nextPiece() {
        bytes += piece
        size += piece.count
        if size > most { throw Refusal(413, "the form is larger than 16 MiB") }
      }
      guard let text = String(validating: bytes, as: UTF8.self) else { throw Refusal(400, "a field is not UTF-8") }
      form.fields.append(part.name, text)
      if count == 1 { try gate.check(form: text) }
    }
    if count == 0 { try gate.check(form: nil) }
    return form
  }

  private static func boundary(_ type: String) -> String? {
    let prefix = "multipart/form-data; boundary="
    guard type.hasPrefix(prefix) else { return nil }
    let text = type.dropFirst(prefix.count)
    let isGood = text.utf8.allSatisfy { byte in
      switch byte {
      case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F, 0x27, 0x2B, 0x2E: true
      default: false
      }
    }
    return isGood && (1...70).contains(text.utf8.count) ? String(text) : nil
  }
}
