import SeaEngine

extension Session {
  /// What reaches containers that are no folders here: `sea-remote-SCHEME`, found where commands are.
  /// - Parameter program: the path of the one that is started for every scheme.
  func makeHelpers(only program: String? = nil) -> Helpers {
    Containers.helpers(
      find: { [unowned self] name in
        if let program { return program }
        guard name.hasPrefix("sea-") else { return nil }
        return External.find(String(name.dropFirst(4)), self)
      }, variable: host.given, isHidden: SecretVariables.contains,
      complains: { [terminal] place, line in terminal.warning("helper", "\(place): \(line)") })
  }
}
