/// The environment variables that child processes do not receive.
package enum SecretVariables {
  package static func contains(_ name: String) -> Bool {
    if name == "SEA_ASKPASS" || name == "SSH_ASKPASS" { return true }
    return name.hasPrefix("SEA_") && name.split(separator: "_").contains { $0 == "PASSWORD" || $0 == "TOKEN" }
  }

  /// Returns whether a variable is secret, or configures `sea` for this user.
  package static func containsOrSettings(_ name: String) -> Bool {
    contains(name) || name.hasPrefix("SEA_") || name.hasPrefix("XDG_")
  }
}
