import Glibc

/// Opens an address in the browser of the user.
enum Browser {
  /// - Returns: whether a program to do so was started.
  static func open(_ address: String) -> Bool {
    let hasDisplay = ["DISPLAY", "WAYLAND_DISPLAY"].contains { (name: String) in
      getenv(name).map { $0.pointee != 0 } ?? false
    }
    let folders = getenv("PATH").map { String(cString: $0).split(separator: ":") } ?? []
    guard hasDisplay, folders.contains(where: { access("\($0)/xdg-open", X_OK) == 0 }) else { return false }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    // The messages of browsers must not appear in the terminal.
    for file in Int32(0)...2 { posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0) }
    // The browser outlives this program, and does not inherit which signals this program blocks or ignores.
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    let startsSession: Int16 = 0x80
    posix_spawnattr_setflags(&attributes, startsSession | Int16(POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK))
    var signals = sigset_t()
    sigemptyset(&signals)
    posix_spawnattr_setsigmask(&attributes, &signals)
    sigfillset(&signals)
    posix_spawnattr_setsigdefault(&attributes, &signals)
    // The shell ends at once, so that nothing waits for a browser that stays.
    let words: [String] = ["sh", "-c", "xdg-open \"$0\" &", address]
    var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
    defer { for argument in arguments { free(argument) } }
    var process = pid_t()
    guard posix_spawn(&process, "/bin/sh", &actions, &attributes, &arguments, environ) == 0 else { return false }
    waitpid(process, nil, 0)
    return true
  }
}
