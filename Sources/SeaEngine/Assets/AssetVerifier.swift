import SeaContainer
import SeaCore
import SeaStore

/// Joins the files of an asset in order, and verifies the content. Needs memory for the list of pieces and little more.
///
/// With a right list, each piece is verified when its last byte is taken.
struct AssetVerifier: ~Copyable {
  private let extent: AssetExtent
  private let size: Int64
  private let digest: Digest
  private let database: UUID
  private let keys: KeyRing?
  private let isSealed: Bool

  /// Whether a single unencrypted file contains all of the content; if so, it is hashed only once.
  private let isContent: Bool
  private var content: ContentDigest
  /// Whether the first wrong piece ends the reading.
  private let stops: Bool
  /// The list of pieces, if it has the recorded digest.
  private(set) var list: PieceList?
  /// The bytes of the file with the list, whether they are right or not.
  private var listBytes: [UInt8] = []
  private var checked = 0
  private let listPlace: AssetPlace?
  private var place: AssetPlace
  private var stored = SHA256()
  private var opener: PieceSeal.Opener?
  /// Where the content of the current file starts.
  private var start: Int64 = 0
  /// The pieces that cannot be decrypted.
  private var damaged = RangeSet<Int64>()
  /// The first bytes of an encrypted file, collected until they show which key to use.
  private var beginning: [UInt8] = []
  private var out: [UInt8] = []

  /// - Parameters:
  ///   - list: the right list of pieces, if it was read before; its file is then not read.
  ///   - stops: whether a wrong piece is thrown at once.
  init(
    _ asset: AssetRow, database: UUID, isSealed: Bool, keys: KeyRing?, list: PieceList? = nil, stops: Bool = false
  ) {
    extent = asset.extent
    size = asset.size
    digest = asset.digest
    self.database = database
    self.isSealed = isSealed
    isContent = !isSealed && asset.extent.first == asset.extent.last && asset.list == nil
    content = ContentDigest(forSize: asset.size)
    listPlace = asset.extent.first < asset.extent.last ? asset.list : nil
    self.list = list
    listBytes = list?.bytes ?? []
    self.stops = stops
    self.keys = keys
    place = AssetPlace(instance: asset.extent.instance, index: asset.extent.first)
  }

  mutating func begin(_ place: AssetPlace) {
    self.place = place
    start = content.count
    stored = SHA256()
    opener = nil
    beginning = []
    if place == listPlace { listBytes = [] }
  }

  /// Adds bytes of the current file, and passes decrypted content to `sink`. The content as a whole is not verified
  /// until `finish`.
  mutating func consume(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
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
    for position in opener?.damaged ?? [] { damaged.insert(contentsOf: piece(at: start + position)) }
    if place == listPlace { list = PieceList(listBytes, size: size, digest: digest) }
    return isContent ? content.digest() : stored.digest()
  }

  /// - Parameter isRight: whether content of this size and digest is right.
  func finish(_ isRight: (Int64, Digest) -> Bool) -> AssetState {
    if damaged.isEmpty, isRight(content.count, content.digest()) {
      guard let listPlace, content.list?.bytes != listBytes else { return .good }
      return .wrongList(listPlace)
    }
    guard content.count == size else { return .wrongSize(place) }
    guard let list, let found = content.list else { return .wrongDigest }
    return .wrongPieces(Array(damaged.union(RangeSet(list.differences(from: found, size: size))).ranges))
  }

  func finish() -> AssetState { finish { [size, digest] in $0 == size && $1 == digest } }

  /// The list of pieces of the content that was read.
  var foundList: PieceList? { content.list }

  private mutating func give(_ bytes: UnsafeRawBufferPointer, _ sink: (UnsafeRawBufferPointer) throws -> Void) throws {
    if place == listPlace {
      // The list of a false claim may have any size.
      if listBytes.count <= PieceList.size(forSize: size) { listBytes += bytes }
      return
    }
    content.update(bytes)
    if stops, let list {
      let complete = content.completeList
      if complete.bytes.count > checked {
        let wrong = list.differences(from: complete, size: size, after: checked)
        guard wrong.isEmpty else { throw AssetState.wrongPieces(wrong) }
        checked = complete.bytes.count
      }
    }
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
    var fault: AssetState?
    do throws(CoreError) {
      try opener?.update(bytes, into: &clear)
      if isLast { try opener?.finish(into: &clear) }
    } catch {
      fault = AssetState(error, place)
      guard list != nil, place != listPlace, fault == .sealed(place, .badTag) else { throw fault! }
    }
    try clear.withUnsafeBytes { try give($0, sink) }
    // The damaged bytes belong to the piece that continues here.
    if fault != nil { throw AssetState.wrongPieces([piece(at: content.count)]) }
  }

  private func piece(at position: Int64) -> Range<Int64> {
    let start = position / PieceList.pieceSize * PieceList.pieceSize
    // A file may be longer than its record says.
    return min(start, size)..<min(start + PieceList.pieceSize, size)
  }

  private func choose() throws -> PieceSeal.Opener {
    guard let name = PieceSeal.key(of: beginning) else { throw AssetState.sealed(place, .truncated) }
    guard let key = keys?[name] else { throw AssetState.noKey }
    return PieceSeal.Opener(
      key, PieceSeal.Place(database: database, instance: place.instance, index: place.index),
      passesOver: list != nil && place != listPlace && !stops)
  }
}

extension AssetState {
  fileprivate init(_ error: CoreError, _ place: AssetPlace) {
    if case .badAsset(let fault) = error { self = .sealed(place, fault) } else { self = .noKey }
  }
}
