import SeaCore
import SeaEngine

extension Option {
  static let noStoreKey = Option(
    "no-store-key", help: "do not store encryption keys here; prompt for the passphrase when needed")
  static let iterations = Option(
    "kdf-iterations", nil, .rounds, "N", "use N PBKDF2 rounds, 600000 to 10000000 ('auto': one second of work)")
}

extension Session {
  func keySettings(_ command: any Command.Type, _ arguments: Arguments) throws -> Database.Settings {
    var settings = try writingSettings(command)
    settings.keepsKeys = !arguments.has(.noStoreKey)
    if let text = arguments.text(.iterations) {
      settings.rounds = try Int(text) ?? KeyDerivation.calibratedRounds(milliseconds: 1000)
    }
    return settings
  }
}
