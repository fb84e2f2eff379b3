import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Content that is about to become an asset: read, encrypted if the database is, and not in its place yet.
///
/// `Assets.write(_:adding:)` moves it to its place, together with the records that name it. Without that, its files are
/// removed.
package final class StagedAsset {
  /// One file of the content.
  package struct Piece {
    var draft: AssetDraft?
    package var place: AssetPlace
    var size: Int64
    var digest: Digest
    /// Whether the current write has placed the file.
    var isPlaced = false
  }

  /// The reference for records. It may change to another place that has the same content.
  package internal(set) var reference: AssetReference
  let instance: UUID
  package internal(set) var pieces: [Piece]
  /// A place with the same content that is to be given up.
  var leaves: AssetExtent?

  init(_ reference: AssetReference, _ instance: UUID, _ pieces: [Piece]) {
    self.reference = reference
    self.instance = instance
    self.pieces = pieces
  }

  deinit { for piece in pieces { piece.draft?.discard() } }

  /// Sets the media type instead of the detected one.
  package func call(mime: String) { reference.mime = mime }

  func hasContent(of other: StagedAsset) -> Bool {
    reference.sha256 == other.reference.sha256 && reference.size == other.reference.size
  }

  /// Discards the files, because the same content has a place.
  func yield(to reference: AssetReference) {
    for piece in pieces { piece.draft?.discard() }
    pieces = []
    take(reference)
  }

  /// Uses the reference of the same content, but keeps the media type of this one.
  func take(_ reference: AssetReference) {
    let mime = self.reference.mime
    self.reference = reference
    self.reference.mime = mime
  }
}

/// The source of new content.
package enum AssetInput {
  /// A regular file, from its beginning.
  case file(File)
  /// Anything else: fills a buffer with at least one byte, and returns the count; 0 at the end.
  case stream((UnsafeMutableRawBufferPointer) throws -> Int)
}
