import SeaCore
import SeaSystem

extension HelperContainer {
  package func assetSize(_ place: AssetPlace) throws(ContainerError) -> Int64? { try names().assets[place]?.size }

  package func assetEntry(_ place: AssetPlace) throws(ContainerError) -> AssetEntry? {
    let names = try names()
    if let entry = names.assets[place] { return .file(size: entry.size, changed: entry.time) }
    // For the file, or for a folder that it belongs in.
    var path = place.path[...]
    while true {
      if names.standIns(for: String(path)).contains(where: { !Layout.isAside($0) }) { return .promised }
      guard let end = path.lastIndex(of: "/") else { return nil }
      path = path[..<end]
    }
  }

  package func assetIdentity(_ place: AssetPlace) -> FileIdentity? { nil }

  package func readAsset(
    _ place: AssetPlace, from offset: Int64, _ body: (UnsafeRawBufferPointer) throws -> Bool
  ) throws -> Bool {
    guard let size = try assetSize(place) else { return false }
    try ahead.read(place, size: size, from: offset, body)
    return true
  }

  package func expect(_ places: [AssetPlace]) throws(ContainerError) { try ahead.expect(places) }

  package func forEachAsset(_ body: (AssetPlace, Int64) throws -> Void) throws {
    for (place, entry) in try names().assets.sorted(by: { $0.key < $1.key }) { try body(place, entry.size) }
  }

  /// What was not sent to its end is begun anew.
  package func writeAsset(
    _ place: AssetPlace, size: Int64, _ source: (Int64, UnsafeMutableRawBufferPointer) throws -> Int
  ) throws {
    try needContainer()
    guard (0...AssetFile.largest).contains(size) else { throw ContainerError.badAsset(.tooLarge, path: place.path) }
    if try keeps(place, size) { return }
    let buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: AssetFile.pieceSize, alignment: 16)
    defer { buffer.deallocate() }
    var offset: Int64 = 0
    func piece() throws -> UnsafeRawBufferPointer {
      let room = Int(min(Int64(buffer.count), size - offset))
      let count = try source(offset, UnsafeMutableRawBufferPointer(rebasing: buffer[..<room]))
      guard count > 0 else { throw ContainerError.badAsset(.ended, path: path(of: place.path)) }
      offset += Int64(count)
      return UnsafeRawBufferPointer(rebasing: buffer[..<count])
    }
    // A source that has nothing to give is found out before the helper waits for it.
    let first = size > 0 ? try piece() : UnsafeRawBufferPointer(start: nil, count: 0)
    let line = try line()
    let ticket: HelperTicket
    do {
      ticket = try line.ask(.put(place.path, size: size)) { send in
        send(first)
        while offset < size, line.fault == nil { send(try piece()) }
      }
    } catch {
      drop()
      throw error
    }
    do throws(HelperFault) { try line.finish(ticket) } catch {
      guard case .refused(.exists, _) = error else { throw ContainerError.helper(error, place: location) }
      forget()
      guard try keeps(place, size) else { throw ContainerError.inTheWay(path: path(of: place.path)) }
      return
    }
    note(.asset(place), .init(size: size, time: 0))
    try flush()
  }

  /// Whether a file is there; one of the same size is taken for the same.
  private func keeps(_ place: AssetPlace, _ size: Int64) throws(ContainerError) -> Bool {
    guard let there = try assetSize(place) else { return false }
    guard there == size else { throw .badAsset(.differs, path: path(of: place.path)) }
    return true
  }

  package func removeAssets(_ places: [AssetPlace]) throws(ContainerError) {
    let names = try names()
    let there = places.filter { names.assets[$0] != nil }
    guard !there.isEmpty else { return }
    try delete(there.map { .asset($0) })
    try flush()
  }
}
