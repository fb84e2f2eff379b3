/// The rule of the header's clock: it follows from what the block names, and from nothing else.
package enum LamportClock {
  /// The Lamport time of a block behind others, of which this is the greatest; 0 if it is the first and names none. At the
  /// end it stays.
  package static func next(after greatest: UInt32) -> UInt32 { greatest == .max ? .max : greatest + 1 }

  /// The proven time of a block: never more than its Lamport time.
  /// - Parameter greatest: of the proven times that count for it.
  package static func proven(_ lamport: UInt32, after greatest: UInt32) -> UInt32 {
    min(lamport, next(after: greatest))
  }
}
