import SeaCore
import SeaEngine

extension Option {
  static let noStoreKey = Option(
    "no-store-key",
    help: "keep no key of the blocks here: what writes or takes in blocks asks for the passphrase each time")
  static let iterations = Option(
    "kdf-iterations", nil, .rounds, "N",
    "rounds of PBKDF2 for the passphrase, 600000 to 10000000; 'auto' for a second of work here")
}

extension Session {
  /// Settings of a command that makes keys or slots.
  func keySettings(_ command: any Command.Type, _ arguments: Arguments) throws -> Database.Settings {
    var settings = try writingSettings(command)
    settings.keepsKeys = !arguments.has(.noStoreKey)
    if let text = arguments.text(.iterations) {
      settings.rounds = try Int(text) ?? KeyDerivation.calibratedRounds(milliseconds: 1000)
    }
    return settings
  }
}
