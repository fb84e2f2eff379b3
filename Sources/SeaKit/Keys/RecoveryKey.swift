internal import SeaCore
internal import SeaSystem

/// The key of recovery of a database with members. It lies on no device: a person keeps its words. Who has them may let in and shut out as an
/// admin does, and open what is sealed, when every device of an admin is lost.
public struct RecoveryKey: Sendable, CustomStringConvertible {
  let identity: Identity
  private let recovery: RecoveryWords

  private init(_ recovery: RecoveryWords) throws {
    self.recovery = recovery
    do { identity = try recovery.identity() } catch { throw SeaError.of(error) }
  }

  /// A new one, made at random, for a database that is to be made. Show its words to a person before: nobody else has them.
  /// - Throws: `system` if the system has no randomness to give.
  public static func new() throws -> RecoveryKey {
    do { return try RecoveryKey(RecoveryWords(seed: Random.bytes(32))) } catch { throw SeaError.of(error) }
  }

  /// The one that a person has kept.
  /// - Parameter words: 24 words with spaces or lines between, in capitals or not.
  /// - Throws: `bad-data` if they are none of a key of recovery: a word is missing, wrong or out of its place.
  public init(words: String) throws {
    do { try self.init(RecoveryWords(typed: words)) } catch { throw SeaError.of(error) }
  }

  /// 24 words, to be written down.
  public var words: [String] { recovery.words }

  /// Nothing of the words.
  public var description: String { "a key of recovery" }
}

/// A way into a sealed database.
public struct KeySlot: Sendable, Hashable, Identifiable {
  /// Whom a slot opens for.
  public enum Opener: Sendable, Hashable {
    /// Who knows a password; so many rounds slow down who tries passwords.
    case password(rounds: Int)
    /// An instance, by its id, and what it calls itself, if that is known.
    case instance(String, name: String?)
    /// Who has the key that the slot is of, to the key with this number, which came before it.
    case earlierKey(Int)
  }

  /// 64 hexadecimal digits.
  public let id: String
  /// The number of the key that is wrapped in it, from 1.
  public let key: Int
  /// Whom it opens for.
  public let opener: Opener
}
