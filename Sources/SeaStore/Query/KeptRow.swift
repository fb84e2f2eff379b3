import SeaCore

/// A record that was asked for by its id or key: in a join the same ones are asked for again and again.
final class KeptRow {
  let row: RecordRow
  let shape: Int64
  private let idBytes: [UInt8]
  private let typeBytes: [UInt8]?
  private var bodyBytes: [UInt8]?
  /// Whether the body was asked for.
  private(set) var hasBody = false

  init(_ row: RecordRow, _ shape: Int64) {
    self.row = row
    self.shape = shape
    idBytes = Array(row.id.utf8)
    typeBytes = row.type.map { Array($0.utf8) }
  }

  // The arrays stay as they are while the row is kept.
  var id: UnsafeBufferPointer<UInt8> { idBytes.withUnsafeBufferPointer { $0 } }
  var type: UnsafeBufferPointer<UInt8>? { typeBytes?.withUnsafeBufferPointer { $0 } }
  /// Nil if it was purged.
  var body: UnsafeBufferPointer<UInt8>? { bodyBytes?.withUnsafeBufferPointer { $0 } }

  func keep(_ body: UnsafeBufferPointer<UInt8>?) {
    bodyBytes = body.map { Array($0) }
    hasBody = true
  }

  var size: Int { 200 + idBytes.count + (bodyBytes?.count ?? 0) }
}

/// The rows that are kept, as far as there is room.
struct KeptRows {
  private var byKey: [Int64: KeptRow] = [:]
  private var byID: [[UInt8]: KeptRow] = [:]
  private var size = 0
  private static let mostBytes = 64 << 20

  var hasRoom: Bool { size < KeptRows.mostBytes }

  func row(_ key: Int64) -> KeptRow? { byKey[key] }
  func row(_ id: UnsafeBufferPointer<UInt8>) -> KeptRow? { byID.isEmpty ? nil : byID[Array(id)] }

  mutating func add(_ row: KeptRow, byID id: Bool) {
    if id { byID[Array(row.id)] = row } else { byKey[row.row.key] = row }
    size += row.size
  }

  mutating func add(bytes: Int) { size += bytes }
}
