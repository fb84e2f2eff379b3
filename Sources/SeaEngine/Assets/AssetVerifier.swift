import SeaContainer
import SeaCore
import SeaStore

/// Joins the files of an asset in order, and verifies the content. Keeps only a few pieces in memory.
struct AssetVerifier: ~Copyable {
  private let extent: AssetExtent
  private let size: Int64
  private let digest: Digest
  private let database: UUID
  private let keys: KeyRing?
  private let isSealed: Bool

  /// Whether a single unencrypted file contains all of the content; if so, it is hashed only once.
  private let isContent: Bool
  private var content = SHA256()
  private var count: Int64 = 0
  private var place: AssetPlace
  private var stored = SHA256()
  private var opener: PieceSeal.Opener?
  /// The first bytes of an encrypted file, collected until they show which key to use.
  private var beginning: [UInt8] = []
  private var out: [UInt8] = []

  init(_ asset: AssetRow, database: UUID, isSealed: Bool, keys: KeyRing?) {
    extent = asset.extent
    size = asset.size
    digest = asset.digest
    self.database = database
    self.isSealed = isSealed
    isContent = !isSealed && asset.extent.first == asset.extent.last
    self.keys = keys
    place = AssetPlace(instance: asset.extent.instance, index: asset.extent.first)
  }

  mutating func begin(_ place: AssetPlace) {
    self.place = place
    stored = SHA256()
    opener = nil
    beginning = []
  }

  /// Adds bytes of the current file, and passes decrypted content to `sink`. The content as a whole is not verified
  /// until `finish`.
  mutating func take(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    if !isContent { stored.update(bytes) }
    guard isSealed else { return try give(bytes, sink) }
    if opener != nil { return try open(bytes, isLast: false, sink) }
    beginning += bytes
    guard beginning.count >= PieceSeal.headerSize else { return }
    opener = try choose()
    try openBeginning(isLast: false, sink)
  }

  /// - Returns: the SHA-256 of the file.
  mutating func end(_ sink: (UnsafeRawBufferPointer) throws -> Void) throws -> Digest {
    if isSealed, opener == nil {
      opener = try choose()
      try openBeginning(isLast: true, sink)
    } else if isSealed {
      try open(UnsafeRawBufferPointer(start: nil, count: 0), isLast: true, sink)
    }
    return isContent ? content.digest() : stored.digest()
  }

  func finish() -> AssetState {
    guard count == size else { return .wrongSize(place) }
    return content.digest() == digest ? .good : .wrongDigest
  }

  var found: (size: Int64, digest: Digest) { (count, content.digest()) }

  private mutating func give(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    content.update(bytes)
    count += Int64(bytes.count)
    try sink(bytes)
  }

  private mutating func openBeginning(isLast: Bool, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    let bytes = beginning
    beginning = []
    try bytes.withUnsafeBytes { try open($0, isLast: isLast, sink) }
  }

  private mutating func open(
    _ bytes: UnsafeRawBufferPointer, isLast: Bool, _ sink: (UnsafeRawBufferPointer) throws -> Void
  ) throws {
    var clear: [UInt8] = []
    swap(&clear, &out)
    defer { swap(&clear, &out) }
    clear.removeAll(keepingCapacity: true)
    do throws(CoreError) {
      try opener?.update(bytes, into: &clear)
      if isLast { try opener?.finish(into: &clear) }
    } catch {
      throw AssetState(error, place)
    }
    try clear.withUnsafeBytes { try give($0, sink) }
  }

  private func choose() throws -> PieceSeal.Opener {
    guard let name = PieceSeal.key(of: beginning) else { throw AssetState.sealed(place, .truncated) }
    guard let key = keys?[name] else { throw AssetState.noKey }
    return PieceSeal.Opener(
      key, PieceSeal.Place(database: database, instance: place.instance, index: place.index))
  }
}

extension AssetState {
  fileprivate init(_ error: CoreError, _ place: AssetPlace) {
    if case .badAsset(let fault) = error { self = .sealed(place, fault) } else { self = .noKey }
  }
}
