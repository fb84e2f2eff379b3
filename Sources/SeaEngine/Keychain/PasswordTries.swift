extension Settings {
  /// Runs `open` with a password, and prompts again if the password was typed incorrectly.
  /// - Parameter orAsks: whether a user without a password can request access instead.
  /// - Throws: the errors of `open`; `badPassword` after the last try.
  func opening<Result>(
    _ place: String, orAsks: Bool = false, _ open: ([UInt8]) throws -> Result
  ) throws -> Result? {
    guard var typed = try password?(.open(place: place, orAsks: orAsks)) else { return nil }
    while true {
      do { return try open(typed) } catch KitError.badPassword(let named) {
        guard asksAgain() else { throw KitError.badPassword(place: named) }
        guard let next = try password?(.open(place: place, orAsks: orAsks)) else {
          if orAsks { return nil }
          throw KitError.badPassword(place: named)
        }
        typed = next
      }
    }
  }
}
