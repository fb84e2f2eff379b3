import SeaCore
import SeaSystem

extension UUID {
  init(version: UInt8, from bytes: [UInt8]) throws {
    precondition(bytes.count == 16)
    self = bytes.withUnsafeBytes { UUID(version: version, from: $0.baseAddress!) }
  }

  package static func random() throws -> UUID { try UUID(version: 4, from: Random.bytes(16)) }
}
