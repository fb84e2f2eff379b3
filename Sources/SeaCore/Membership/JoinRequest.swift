/// A new instance's request for access, stored in a container. The signature proves possession of the Ed25519 key.
///
///     ["sea join v1", databaseID, Ed25519 key, X25519 key, name] || Ed25519 signature over these bytes
package struct JoinRequest: Hashable, Sendable {
  package let database: UUID
  package let key: [UInt8]
  package let exchange: [UInt8]
  /// The display name, which is public and unverified, but contains no control characters.
  package let name: String

  package static let longestName = 255
  package static let leastSize = 163

  package var instance: UUID { Identity.instance(key: key) }
  package var fingerprint: FingerprintWords { FingerprintWords(key: key, exchange: exchange) }

  private init(database: UUID, key: [UInt8], exchange: [UInt8], name: String) {
    self.database = database
    self.key = key
    self.exchange = exchange
    self.name = name
  }

  /// Parses and verifies a file from the folder `requests`.
  /// - Parameter instance: the instance id that is the name of the file.
  /// - Throws: only `badRequest`, for any bytes.
  package init(_ bytes: [UInt8], of instance: UUID, in database: UUID) throws(CoreError) {
    let request = try JoinRequest(unchecked: bytes)
    guard Ed25519.isAcceptable(request.key), X25519.isAcceptable(request.exchange), request.instance == instance else {
      throw .badRequest(.badKey)
    }
    guard request.database == database else { throw .badRequest(.otherDatabase) }
    let message = Array(bytes.dropLast(Ed25519.signatureSize))
    let signature = Array(bytes.suffix(Ed25519.signatureSize))
    guard Ed25519.verify(signature, message, key: request.key) else { throw .badRequest(.badSignature) }
    self = request
  }

  package init(_ bytes: [UInt8], in database: UUID) throws(CoreError) {
    try self.init(bytes, of: JoinRequest(unchecked: bytes).instance, in: database)
  }

  /// Parses a request without verifying it. The request must have the canonical encoding.
  private init(unchecked bytes: [UInt8]) throws(CoreError) {
    let parsed = bytes.withUnsafeBufferPointer { buffer in
      Result<JoinRequest, CoreError> { () throws(CoreError) in
        guard buffer.count >= JoinRequest.leastSize else { throw .badRequest(.badEncoding) }
        return try JoinRequest(array: UnsafeBufferPointer(rebasing: buffer.dropLast(Ed25519.signatureSize)))
      }
    }
    guard case .success(let request) = parsed else { throw .badRequest(.badEncoding) }
    self = request
  }

  private init(array bytes: UnsafeBufferPointer<UInt8>) throws(CoreError) {
    var cursor = CBORCursor(bytes)
    guard try cursor.count(4) == 5, JoinRequest.title.utf8.elementsEqual(try cursor.text()) else {
      throw .badRequest(.badEncoding)
    }
    database = try cursor.uuid()
    key = Array(try cursor.data(exactly: 32))
    exchange = Array(try cursor.data(exactly: 32))
    let text = try cursor.text()
    name = String(decoding: text, as: UTF8.self)
    guard JoinRequest.mayBeCalled(name), cursor.atEnd else { throw .badRequest(.badEncoding) }
  }

  private static func mayBeCalled(_ name: String) -> Bool {
    name.utf8.count <= longestName
      && !name.unicodeScalars.contains { $0.value < 0x20 || (0x7F...0x9F).contains($0.value) }
  }

  package static func encoded(database: UUID, identity: Identity, name: String) throws(CoreError) -> [UInt8] {
    let exchange = try identity.exchangeKey()
    let request = JoinRequest(
      database: database, key: identity.key, exchange: exchange, name: mayBeCalled(name) ? name : "")
    let message = request.message
    return message + (try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key))
  }

  private static let title = "sea join v1"

  private var message: [UInt8] {
    var writer = ByteWriter(capacity: JoinRequest.leastSize + name.utf8.count)
    writer.cborArray(5)
    writer.cborText(JoinRequest.title)
    database.withBytes { writer.cborData($0) }
    key.withUnsafeBytes { writer.cborData($0) }
    exchange.withUnsafeBytes { writer.cborData($0) }
    writer.cborText(name)
    return writer.array()
  }
}
