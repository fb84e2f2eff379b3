import SeaCore
import SeaKit
import SeaSystem

// What `init` and `clone` share.

extension Option {
  package static let instanceName = Option(
    "name", nil, .text, "LABEL", "what people call this instance; the host's name if not given")
}

extension Arguments {
  /// The name that a new instance is to have.
  func instanceName() throws(UsageFault) -> String {
    guard let text = text(.instanceName) else {
      let host = Host.name()
      return host.isEmpty ? "sea" : host
    }
    let isGood = (1...ControlEntry.longestName).contains(text.utf8.count) && !text.utf8.contains(UInt8(ascii: "/"))
    guard isGood, Escape.shown(text) == text else {
      throw .badValue(option: "--name", value: text, expected: .text)
    }
    return text
  }
}

extension Context {
  func warn(of hazard: Location.Hazard?) {
    switch hazard {
    case nil: break
    case .synchronised(let client):
      warning(
        "location", "\(client) would copy the files of a database while they change and so damage it",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    case .removable:
      warning(
        "location", "a database on a removable medium is lost with it, and damaged if it is pulled out",
        hint: "keep the database elsewhere, and put a container there: sea add-container --create")
    }
  }
}
