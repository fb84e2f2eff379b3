import SeaEngine

/// What stands in the way of finding places elsewhere, or of going by what they tell.
enum ElsewhereFault: Error {
  /// A place that does not tell when files were written, where it matters.
  case timeless(String)
  /// A program that tells who is on the local network, and is not there.
  case noBrowser(String)
  /// The same that could not tell it; and what it said.
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
