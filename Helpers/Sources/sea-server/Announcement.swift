import CServer
import Glibc
import NIOConcurrencyHelpers

/// Announces the server on the local network with mDNS, by running `avahi-publish`.
///
/// A shell starts `avahi-publish`, and stops it when the shell's input ends. This works even if this process crashes.
final class Announcement: Sendable {
  static let type = "_sea._tcp"
  private static let script = """
    avahi-publish -f -s "$@" >/dev/null 2>&1 &
    child=$!
    read -r line
    kill "$child" 2>/dev/null
    wait "$child" 2>/dev/null
    """

  private let running = NIOLockedValueBox<(process: pid_t, input: CInt)?>(nil)

  /// Whether a string is a valid name for an mDNS service, which can have up to 63 bytes.
  static func isName(_ text: String) -> Bool {
    (1...63).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F } && text.utf8.first != 0x2D
  }

  func begin(_ name: String, port: Int, isSecure: Bool) {
    let folders = (getenv("PATH").map { String(cString: $0) } ?? "/usr/bin").split(separator: ":")
    guard folders.contains(where: { access("\($0)/avahi-publish", X_OK) == 0 }) else {
      return Log.line("not announced: 'avahi-publish' not found on PATH")
    }
    var ends: [CInt] = [-1, -1]
    guard pipe2(&ends, O_CLOEXEC) == 0 else { return Log.line("not announced: \(Fault.system("pipe").text)") }
    let text = isSecure ? "scheme=sea+https" : "scheme=sea+http"
    let words = ["/bin/sh", "-c", Announcement.script, "sh", name, Announcement.type, String(port), text]
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    let process = Engine.spawn(words, ends[0], nothing)
    for file in [ends[0], nothing] { close(file) }
    guard let process else {
      close(ends[1])
      return Log.line("not announced: \(Fault.system("sh").text)")
    }
    running.withLockedValue { $0 = (process, ends[1]) }
    Log.line("announced as '\(name)'")
  }

  func end() {
    guard
      let running = running.withLockedValue({ running in
        defer { running = nil }
        return running
      })
    else { return }
    close(running.input)
    var status: Int32 = 0
    waitpid(running.process, &status, 0)
  }
}
