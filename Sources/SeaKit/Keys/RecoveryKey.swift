internal import SeaCore
internal import SeaSystem

/// The recovery key of a database with members. With this key, you can authorize, revoke and decrypt even if all admin
/// devices are lost. No device stores the key, so the user must keep its words safe.
public struct RecoveryKey: Sendable, CustomStringConvertible {
  let identity: Identity
  private let recovery: RecoveryWords

  private init(_ recovery: RecoveryWords) throws {
    self.recovery = recovery
    do { identity = try recovery.identity() } catch { throw SeaError.of(error) }
  }

  /// Creates a random key for a new database. Show the key's words to the user before using it, because there is no
  /// other copy.
  /// - Throws: `system` if the system cannot provide random bytes.
  public static func new() throws -> RecoveryKey {
    do { return try RecoveryKey(RecoveryWords(seed: Random.bytes(32))) } catch { throw SeaError.of(error) }
  }

  /// Restores a key from its words.
  /// - Parameter words: 24 words, separated by spaces or line breaks, in upper or lower case.
  /// - Throws: `bad-data` if a word is missing, misspelled or in the wrong position.
  public init(words: String) throws {
    do { try self.init(RecoveryWords(typed: words)) } catch { throw SeaError.of(error) }
  }

  /// The 24 words that the user writes down.
  public var words: [String] { recovery.words }

  /// A fixed string that does not reveal the words.
  public var description: String { "a recovery key" }
}

/// A key slot of an encrypted database, which contains a database key, encrypted for one holder.
public struct KeySlot: Sendable, Hashable, Identifiable {
  /// The holder of a key slot, who can open it.
  public enum Opener: Sendable, Hashable {
    /// A password. The number of key derivation rounds determines how long each guess takes.
    case password(rounds: Int)
    /// An instance, identified by its id and, if known, its name.
    case instance(String, name: String?)
    /// Any holder of the key with the number `key`. The slot contains the earlier key whose number is the associated
    /// value.
    case earlierKey(Int)
  }

  /// The id, 64 hexadecimal digits.
  public let id: String
  /// The number of the key, starting at 1. For an earlier key, the number of the key that opens the slot.
  public let key: Int
  /// The holder of the slot.
  public let opener: Opener
}
