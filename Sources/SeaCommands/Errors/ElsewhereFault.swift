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
        .refused, "'\(place)' does not tell when its files were written", hint: "--keep-last goes by their order",
        ["path": place])
    case .noBrowser(let name):
      Failure(
        .unreachable, "nobody can be found: there is no program '\(name)' in PATH",
        hint: "it comes with avahi; in Debian with the package avahi-utils")
    case .browserFailed(let name, let status, let text):
      Failure(
        .unreachable, "'\(name)' ended with status \(status)" + (text.isEmpty ? "" : ": \(text)"),
        hint: "the avahi daemon has to run")
    }
  }
}
