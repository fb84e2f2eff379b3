import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Content that is ready to become an asset.
///
/// `Assets.write(_:adding:)` moves the files to their places and writes the records that reference them. If it is never
/// called, the files are removed.
package final class StagedAsset {
  package struct Piece {
    var draft: AssetDraft?
    package var place: AssetPlace
    var size: Int64
    var digest: Digest
    /// Whether the current write has moved the file to its place.
    var isPlaced = false
  }

  /// The reference to use in records. It may be replaced by a reference to another place with the same content.
  package internal(set) var reference: AssetReference
  let instance: UUID
  package internal(set) var pieces: [Piece]
  /// The old place of the content, if the content moves to a new place.
  var leaves: AssetExtent?

  init(_ reference: AssetReference, _ instance: UUID, _ pieces: [Piece]) {
    self.reference = reference
    self.instance = instance
    self.pieces = pieces
  }

  deinit { for piece in pieces { piece.draft?.discard() } }

  /// Replaces the detected media type.
  package func setMediaType(mime: String) { reference.mime = mime }

  func hasContent(of other: StagedAsset) -> Bool {
    reference.digest == other.reference.digest && reference.size == other.reference.size
  }

  /// Discards the files, because the same content is already stored.
  func yield(to reference: AssetReference) {
    for piece in pieces { piece.draft?.discard() }
    pieces = []
    replaceReference(with: reference)
  }

  /// Replaces the reference with another one to the same content, but keeps the media type.
  func replaceReference(with reference: AssetReference) {
    let mime = self.reference.mime
    self.reference = reference
    self.reference.mime = mime
  }
}

package enum AssetInput {
  case file(File)
  /// Any other source. The function writes at least one byte into a buffer and returns the number of bytes; 0 at the
  /// end.
  case stream((UnsafeMutableRawBufferPointer) throws -> Int)
}
