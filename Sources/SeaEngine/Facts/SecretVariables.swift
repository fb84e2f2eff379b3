/// The variables that programs started from here do not get.
package enum SecretVariables {
  package static func contains(_ name: String) -> Bool {
    if name == "SEA_ASKPASS" || name == "SSH_ASKPASS" { return true }
    return name.hasPrefix("SEA_") && name.split(separator: "_").contains { $0 == "PASSWORD" || $0 == "TOKEN" }
  }

  /// The same, and whatever else says how `sea` is to behave for this user.
  package static func containsOrSettings(_ name: String) -> Bool {
    contains(name) || name.hasPrefix("SEA_") || name.hasPrefix("XDG_")
  }
}
