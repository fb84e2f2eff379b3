import SeaCore
import SeaSystem

/// A file with test vectors: header lines, an empty line, and then bytes in hex or text.
package struct Vector: Sendable, CustomStringConvertible {
  package let headers: [String: String]
  package let bytes: [UInt8]
  /// The lines after the empty line.
  package let text: [String]
  package var description: String { headers["name"] ?? "?" }

  package subscript(_ key: String) -> String { headers[key] ?? "" }

  init(_ file: [UInt8]) {
    var headers: [String: String] = [:]
    var hex: [UInt8] = []
    var text: [String] = []
    var isHead = true
    for line in file.split(separator: 0x0A, omittingEmptySubsequences: false) {
      if !isHead {
        hex += line
        text.append(String(decoding: line, as: UTF8.self))
      } else if line.isEmpty {
        isHead = false
      } else if let colon = line.firstIndex(of: 0x3A) {
        headers[String(decoding: line[..<colon], as: UTF8.self)] = String(decoding: line[(colon + 2)...], as: UTF8.self)
      }
    }
    self.headers = headers
    self.text = text
    bytes = Hex.bytes(String(decoding: hex, as: UTF8.self)) ?? []
  }

  /// Returns all vectors in a folder below Tests/vectors, sorted by name.
  package static func all(_ folder: String) -> [Vector] {
    let root: String = #filePath
    let path = Path.join(Path.join(Path.parent(root), "../vectors"), folder)
    guard let entries = try? Directory(path).list().entries else { return [] }
    return entries.map { $0.name }.filter { $0.hasSuffix(".vec") }.sorted().compactMap { name in
      (try? File(Path.join(path, name)).readAll(limit: 1 << 24))?.map { Vector($0) }
    }
  }

  package var database: UUID { UUID(self["database"])! }
  package var instance: UUID { UUID(self["instance"])! }

  /// A verifier whose state precedes the vector's first block.
  package var verifier: ChainVerifier {
    guard let after = headers["after"] else {
      return ChainVerifier(database: database, instance: instance, isSealed: false)
    }
    let parts = after.split(separator: " ")
    return ChainVerifier(
      database: database, head: BlockRef(instance: instance, index: UInt32(parts[0])!, digest: Digest(hex: parts[2])!),
      lamport: UInt32(parts[1])!, key: Hex.bytes(self["key"])!)
  }

  /// The blocks in `bytes`, split by their sizes. Any remaining bytes form the last block.
  package var blocks: [[UInt8]] {
    var rest = bytes[...]
    var blocks: [[UInt8]] = []
    while !rest.isEmpty {
      let header = try? rest.withUnsafeBytes { try BlockHeader($0) }
      let size = min(header?.blockSize ?? rest.count, rest.count)
      blocks.append(Array(rest.prefix(size)))
      rest = rest.dropFirst(size)
    }
    return blocks
  }
}
