import SeaEngine

/// Faults in finding remote locations or in using their information.
enum ElsewhereFault: Error {
  /// A location without modification times of files, where they are needed.
  case timeless(String)
  /// The program that browses the local network is missing.
  case noBrowser(String)
  /// The program that browses the local network failed, with its output.
  case browserFailed(String, Int32, String)
}

extension Failure {
  static func row(_ fault: ElsewhereFault) -> Failure {
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
