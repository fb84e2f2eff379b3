/// What a password is wanted for.
package enum PasswordUse: Sendable, Equatable {
  /// To open what lies at a place.
  case open(place: String)
  /// To seal a new database, or to replace a password.
  case new(place: String)
}
