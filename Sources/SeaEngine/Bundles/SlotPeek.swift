import SeaContainer
import SeaCore
import SeaStore

/// Reads the key slots at the beginning of a bundle. They do not have to be verified, because a forged key slot opens
/// nothing.
final class SlotPeek: BundleVisitor {
  private struct Enough: Error {}

  private(set) var slots: [Slot] = []
  private var bytes: [UInt8] = []

  static func slots(of source: BundleSource, temporary: String) throws -> [Slot] {
    let peek = SlotPeek()
    do {
      _ = try BundleReader(source, temporary: temporary).read(peek)
    } catch is Enough {}
    return peek.slots
  }

  func begin(_ member: BundleMember) throws {
    bytes = []
    switch member.path {
    case .info: break
    case .key where member.size <= Int64(SmallFile.largest) && slots.count < Unlock.mostSlots: break
    default: throw Enough()
    }
  }

  func bytes(_ bytes: UnsafeRawBufferPointer) throws { self.bytes.append(contentsOf: bytes) }

  func end(_ member: BundleMember) throws {
    guard case .key(let name) = member.path, let slot = try? Slot(bytes), slot.digest.description == name else {
      return
    }
    slots.append(slot)
  }
}

extension Bundles {
  /// Searches several bundles, because a key slot may be in a later bundle than the blocks that its key decrypts.
  package func enter(through bundles: [BundleSource]) throws {
    _ = try keychain.enter {
      var slots: [Slot] = []
      for case .file(let path) in bundles {
        slots += (try? SlotPeek.slots(of: .file(path: path), temporary: self.folder.path)) ?? []
      }
      return slots
    }
  }
}
