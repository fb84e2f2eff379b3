import SeaEngine

enum RemoteLocationError: Error {
  /// The location does not provide the modification times of files, although they are needed.
  case timeless(String)
  case noBrowser(String)
  /// The program that searches the local network failed. The last value is the output of the program.
  case browserFailed(String, Int32, String)
}

extension Failure {
  static func row(_ fault: RemoteLocationError) -> Failure {
    switch fault {
    case .timeless(let place):
      Failure(
        .refused, "'\(place)' does not report when its files were written",
        hint: "use --keep-last, which goes by file order",
        ["path": place])
    case .noBrowser(let name):
      Failure(
        .unreachable, "cannot search the local network: program '\(name)' not found in PATH",
        hint: "install avahi (on Debian, the package avahi-utils)")
    case .browserFailed(let name, let status, let text):
      Failure(
        .unreachable, "'\(name)' failed with status \(status)" + (text.isEmpty ? "" : ": \(text)"),
        hint: "check that the avahi daemon is running")
    }
  }
}
