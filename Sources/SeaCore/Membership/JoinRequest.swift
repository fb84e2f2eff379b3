/// What an instance that is no member yet leaves in a container: its keys, and the proof that it has the first of them.
///
///     ["sea join v1", databaseID, Ed25519 key, X25519 key] || Ed25519 signature over these bytes
///
/// It has no name in it: strangers read it.
package struct JoinRequest: Hashable, Sendable {
  package let database: UUID
  /// Ed25519; gives the name of the instance.
  package let key: [UInt8]
  /// X25519.
  package let exchange: [UInt8]

  package static let size = 162

  package var instance: UUID { Identity.instance(key: key) }
  package var fingerprint: FingerprintWords { FingerprintWords(key: key, exchange: exchange) }

  private init(database: UUID, key: [UInt8], exchange: [UInt8]) {
    self.database = database
    self.key = key
    self.exchange = exchange
  }

  /// Reads a file of requests/.
  /// - Parameters:
  ///   - instance: the name of the file.
  /// - Throws: `badRequest` and nothing else, whatever the bytes are.
  package init(_ bytes: [UInt8], of instance: UUID, in database: UUID) throws(CoreError) {
    let request = try JoinRequest(unchecked: bytes)
    guard Ed25519.isAcceptable(request.key), request.instance == instance else { throw .badRequest(.badKey) }
    guard request.database == database else { throw .badRequest(.otherDatabase) }
    let message = Array(bytes.dropLast(Ed25519.signatureSize))
    let signature = Array(bytes.suffix(Ed25519.signatureSize))
    guard Ed25519.verify(signature, message, key: request.key) else { throw .badRequest(.badSignature) }
    self = request
  }

  /// Reads a request that was handed over without its name.
  package init(_ bytes: [UInt8], in database: UUID) throws(CoreError) {
    try self.init(bytes, of: JoinRequest(unchecked: bytes).instance, in: database)
  }

  /// A size has one encoding only, so what is read must be what would be written.
  private init(unchecked bytes: [UInt8]) throws(CoreError) {
    guard bytes.count == JoinRequest.size else { throw .badRequest(.badEncoding) }
    // The head of the array, the text, and the heads of the three byte strings take 13, 1, 2 and 2 bytes.
    let request = JoinRequest(
      database: bytes.withUnsafeBytes { UUID($0.baseAddress! + 14) }, key: Array(bytes[32..<64]),
      exchange: Array(bytes[66..<98]))
    guard Array(bytes.dropLast(Ed25519.signatureSize)) == request.message else { throw .badRequest(.badEncoding) }
    self = request
  }

  /// The request of an instance, as it is stored.
  package static func encoded(database: UUID, identity: Identity) throws(CoreError) -> [UInt8] {
    let request = JoinRequest(database: database, key: identity.key, exchange: try identity.exchangeKey())
    let message = request.message
    return message + (try Ed25519.sign(message, seed: identity.signingSeed, key: identity.key))
  }

  /// What the signature covers.
  private var message: [UInt8] {
    var writer = ByteWriter(capacity: JoinRequest.size)
    writer.cborArray(4)
    writer.cborText("sea join v1")
    database.withBytes { writer.cborData($0) }
    key.withUnsafeBytes { writer.cborData($0) }
    exchange.withUnsafeBytes { writer.cborData($0) }
    return writer.array()
  }
}
