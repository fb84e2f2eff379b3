/// Passes another program's output on to the terminal, escaped like the output of `sea`.
final class Relay {
  private let terminal: Terminal
  private var safe = TerminalGuard()

  init(_ terminal: Terminal) { self.terminal = terminal }

  func write(_ bytes: UnsafeRawBufferPointer) { show(safe.shown(bytes)) }

  func end() { show(safe.end()) }

  private func show(_ bytes: [UInt8]) {
    guard !bytes.isEmpty else { return }
    try? terminal.clear()
    try? bytes.withUnsafeBytes { try terminal.standardError.writeUnguarded($0) }
    try? terminal.standardError.flush()
  }
}
