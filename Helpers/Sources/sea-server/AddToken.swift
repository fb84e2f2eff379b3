import Glibc

/// The command `sea-server add-token`, which creates a token, adds a line for it to the file, and prints the token.
enum AddToken {
  static func run(_ arguments: [String]) throws(Fault) {
    var rights: [Grant.Right] = []
    var config: String?
    var days: Int64?
    var words: [String] = []
    for argument in arguments {
      switch argument {
      case "--append-only": rights.append(.appendOnly)
      case "--read-only": rights.append(.readOnly)
      case "--metrics": rights.append(.metrics)
      case _ where argument.hasPrefix("--config="): config = String(argument.dropFirst(9))
      case _ where argument.hasPrefix("--days="):
        guard let number = Int64(argument.dropFirst(7)), (1...36_500).contains(number) else {
          throw Fault(.usage, "invalid value '\(argument)': expected a number of days")
        }
        days = number
      case _ where argument.hasPrefix("-"): throw Fault(.usage, "unknown option '\(argument)'\n\(Main.usage)")
      default: words.append(argument)
      }
    }
    guard let config, let name = words.first, rights.count <= 1 else { throw Fault(.usage, Main.usage) }
    let right = rights.first ?? .everything
    let containers = Array(words.dropFirst())
    guard (right == .metrics) == containers.isEmpty else { throw Fault(.usage, Main.usage) }
    for word in [name] + containers.filter({ $0 != "*" }) where !Grant.isName(word) {
      throw Fault(.usage, "invalid name '\(word)': use up to 64 letters, digits, '.', '_' and '-'")
    }
    let settings = try Settings(file: TextFile.absolute(config))
    if access(settings.tokens, F_OK) == 0, try Tokens.read(settings.tokens).contains(where: { $0.name == name }) {
      throw Fault(.badData, "\(settings.tokens): token '\(name)' already exists")
    }
    let token = make()
    let grant = Grant(
      name: name, token: token, right: right,
      containers: containers == ["*"] || right == .metrics ? nil : Set(containers),
      ends: days.map { Int64(time(nil)) + $0 * 86_400 })
    try append(grant.line + "\n", to: settings.tokens, ownedAs: settings.containers)
    print(token)
  }

  /// Returns 32 random bytes in characters that need no quoting.
  private static func make() -> String {
    var chance = SystemRandomNumberGenerator()
    let bytes = (0..<32).map { _ in UInt8.random(in: 0...255, using: &chance) }
    return "sea_" + Grant.hex(bytes)
  }

  /// - Parameter folder: the folder whose owner will own a newly created file, because the server runs as that user.
  private static func append(_ line: String, to path: String, ownedAs folder: String) throws(Fault) {
    let file = open(path, O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC, 0o600)
    guard file >= 0 else { throw Fault.system(path) }
    defer { close(file) }
    let size = lseek(file, 0, SEEK_END)
    var owner = stat()
    if size == 0, geteuid() == 0, stat(folder, &owner) == 0 {
      guard fchown(file, owner.st_uid, owner.st_gid) == 0 else { throw Fault.system(path) }
    }
    var last = UInt8(ascii: "\n")
    if size > 0, pread(file, &last, 1, size - 1) != 1 { throw Fault.system(path) }
    // After manual changes, the last line may lack a line feed.
    let bytes = Array((last == UInt8(ascii: "\n") ? line : "\n" + line).utf8)
    guard write(file, bytes, bytes.count) == bytes.count, fsync(file) == 0 else { throw Fault.system(path) }
  }
}
