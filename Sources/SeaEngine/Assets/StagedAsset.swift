import SeaContainer
import SeaCore
import SeaStore
import SeaSystem

/// Content that is about to become an asset: read, sealed where everything is, and not yet in its place.
///
/// `Assets.write(_:adding:)` gives it its place together with the records that name it. If nothing comes of it, its
/// files go with it.
package final class StagedAsset {
  /// A file of it.
  package struct Piece {
    var draft: AssetDraft?
    package var place: AssetPlace
    var size: Int64
    var digest: Digest
    /// Whether this call has put it where it is.
    var isPlaced = false
  }

  /// What records say of it. Once it is written it may lie elsewhere than was thought: where the same content is.
  package internal(set) var reference: AssetReference
  let instance: UUID
  package internal(set) var pieces: [Piece]
  /// Where the same content is and is not to stay.
  var leaves: AssetExtent?

  init(_ reference: AssetReference, _ instance: UUID, _ pieces: [Piece]) {
    self.reference = reference
    self.instance = instance
    self.pieces = pieces
  }

  deinit { for piece in pieces { piece.draft?.discard() } }

  /// Says what kind of content it is, whatever was found out.
  package func call(mime: String) { reference.mime = mime }

  func hasContent(of other: StagedAsset) -> Bool {
    reference.sha256 == other.reference.sha256 && reference.size == other.reference.size
  }

  /// Lets the files go: the same content has a place.
  func yield(to reference: AssetReference) {
    for piece in pieces { piece.draft?.discard() }
    pieces = []
    take(reference)
  }

  /// The same content as it is known by; what kind it is, is said by who refers to it.
  func take(_ reference: AssetReference) {
    let mime = self.reference.mime
    self.reference = reference
    self.reference.mime = mime
  }
}

/// Where new content comes from.
package enum AssetInput {
  /// A regular file, from its beginning.
  case file(File)
  /// Anything else: fills a buffer, at least with one byte, and says with how many; 0 at the end.
  case stream((UnsafeMutableRawBufferPointer) throws -> Int)
}
