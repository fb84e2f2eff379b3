import SeaCore
import SeaSystem

/// Reads asset files from a helper before they are needed. Remote requests are expensive and answers take time, so
/// announced files are requested early.
final class HelperAssets {
  private static let mostBytes: Int64 = 16 << 20
  private static let most = 64

  private let container: HelperContainer
  private var tickets: [FilePlace: (size: Int64, ticket: HelperTicket)] = [:]
  private var bytes: Int64 = 0
  private var open: (place: FilePlace, pieces: FarPieces)?

  init(_ container: HelperContainer) { self.container = container }

  /// Releases the files that are not in the list, and requests as many of the listed files as the limits allow, in
  /// order.
  func expect(_ places: [AssetPlace]) throws(ContainerError) {
    if !tickets.isEmpty {
      let wanted = Set(places.map { FilePlace.asset($0) })
      for place in tickets.keys where !wanted.contains(place) { _ = removeTicket(for: place) }
    }
    for place in places where tickets[.asset(place)] == nil {
      // Larger files are read ahead by their own reader.
      guard let size = try container.names().assets[place]?.size, size > 0, size <= FarBytes.most else { continue }
      guard bytes + size <= HelperAssets.mostBytes, tickets.count < HelperAssets.most else { return }
      tickets[.asset(place)] = (size, try container.line().ask(.get(place.path, offset: 0, count: size)))
      bytes += size
    }
  }

  func read(
    _ place: FilePlace, _ range: Range<Int64>, of size: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws {
    let (offset, end) = (range.lowerBound, range.upperBound)
    if let ticket = removeTicket(for: place), try container.found(ticket), ticket.bytes.count == size {
      return try give(ticket.bytes[..<Int(end)], from: Int(offset), body)
    }
    let known = open.flatMap { $0.place == place && $0.pieces.offset == offset && offset > 0 ? $0.pieces : nil }
    let pieces =
      known.flatMap { $0.size == end ? $0 : nil } ?? FarPieces(container, place.path, size: end, from: offset)
    open = (place, pieces)
    while let piece = try pieces.next(), try body(piece) {}
    if pieces.offset >= end { open = nil }
  }

  private func removeTicket(for place: FilePlace) -> HelperTicket? {
    guard let found = tickets.removeValue(forKey: place) else { return nil }
    bytes -= found.size
    return found.ticket
  }

  private func give(_ bytes: ArraySlice<UInt8>, from offset: Int, _ body: (UnsafeRawBufferPointer) throws -> Bool)
    throws
  {
    try bytes.withUnsafeBytes { all in
      var at = offset
      while at < all.count {
        let end = min(at + AssetFile.pieceSize, all.count)
        guard try body(UnsafeRawBufferPointer(rebasing: all[at..<end])) else { return }
        at = end
      }
    }
  }

  func forget() {
    tickets = [:]
    (bytes, open) = (0, nil)
  }
}
